import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Context, createContext } from '../../../src/context.ts'
import { execute } from '../../../src/execute.ts'
import { SILENT } from '../../../src/logger.ts'
import { addArtifact, listArtifacts } from '../../../src/operations/artifacts/artifacts.ts'
import { collectArtifacts } from '../../../src/operations/artifacts/collect.ts'
import { readArtifact } from '../../../src/operations/artifacts/content.ts'
import { annotateCode } from '../../../src/operations/code/annotate.ts'
import { readCode } from '../../../src/operations/code/read.ts'
import { createEntity } from '../../../src/operations/entities.ts'
import { runSync } from '../../../src/operations/sync.ts'
import { initialiseProject, type OpenProject, openProject } from '../../../src/project.ts'
import { doctorCommand } from '../../../src/surface/doctor-command.ts'
import { openSecretFile, secretPath } from '../../../src/surface/http/secret-file.ts'
import { openSessions } from '../../../src/surface/http/session-file.ts'
import { installCommand } from '../../../src/surface/install-command.ts'
import { createTestTerminal } from '../../surface/test-terminal.ts'
import { createOutside, type Kind, plant } from './plant.ts'

/** What came of one replaced entry. */
export interface Tried {
  readonly entry: string
  readonly kind: Kind
  /** By what was tried. */
  readonly answers: Readonly<Record<string, string>>
  readonly isOutsideChanged: boolean
}

/**
 * A process of its own, which can be killed if it waits for a pipe. Replaces entries of the state folder of a copy of
 * `template` in the folder given, and uses that project in every way that touches the state folder.
 */
const [work = '', ...jobs] = process.argv.slice(2)
for (const job of jobs) {
  const { entry, kind } = JSON.parse(job) as Pick<Tried, 'entry' | 'kind'>
  const folder = join(work, 'case')
  cpSync(join(work, 'template'), folder, { recursive: true, verbatimSymlinks: true })
  const outside = createOutside(join(work, 'outside'))
  plant(join(folder, 'main', '.git', 'waymark', entry), kind, outside)
  const before = outside.look()
  const answers = await useProject(join(folder, 'main'), join(folder, 'home'), entry)
  const tried: Tried = { entry, kind, answers, isOutsideChanged: outside.look() !== before }
  process.stdout.write(`${JSON.stringify(tried)}\n`)
  for (const path of [folder, outside.folder]) rmSync(path, { recursive: true, force: true })
}

async function useProject(
  root: string,
  home: string,
  entry: string,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  const attempt = async (name: string, use: () => Promise<unknown>) => {
    try {
      answers[name] = `ok ${JSON.stringify(await use())}`
    } catch (error) {
      answers[name] = `${String(error)} ${JSON.stringify(error)}`
    }
  }
  await attempt('init', () => initialiseProject(root))
  await attempt('open', () => useStore(root, attempt))
  // What lies deeper belongs to artifacts, the cache or the installation, which the slower ones do not open.
  const isDeep = entry.includes('/')
  if (!isDeep) await attempt('sync', () => sync(root))
  const env = { ...process.env, HOME: home }
  const running = { node: process.execPath, script: join(home, 'waymark.js') }
  for (const uninstall of [false, true]) {
    await attempt(uninstall ? 'uninstall' : 'install', async () => {
      const terminal = createTestTerminal(root, { env })
      await installCommand(['claude-code'], { uninstall }, terminal, running)
      return terminal.output
    })
  }
  if (!isDeep || entry.startsWith('cas/'))
    await attempt('doctor', async () => {
      const terminal = createTestTerminal(root, { env })
      await doctorCommand({ json: true }, terminal, running)
      return terminal.output
    })
  return answers
}

async function useStore(
  root: string,
  attempt: (name: string, use: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  await using project = await openProject(root)
  const context = contextOf(project)
  await attempt('add', () => execute(context, createEntity, { type: 'note', title: 'a note' }))
  await attempt('read artifact', async () => {
    const { artifacts } = await execute(context, listArtifacts, {})
    return await execute(context, readArtifact, { id: artifacts[0]?.id ?? '' })
  })
  await attempt('add artifact', () => execute(context, addArtifact, { text: 'stored again' }))
  await attempt('collect', () => execute(context, collectArtifacts, {}))
  await attempt('annotate', () => execute(context, annotateCode, { summary: 'again' }))
  await attempt('code', () => execute(context, readCode, { path: 'code.ts' }))
  await attempt('secret', async () => void openSecretFile(secretPath(project.state)))
  await attempt('sessions', async () => {
    await using _ = await openSessions(project.state, 'waymark')
  })
}

async function sync(root: string): Promise<unknown> {
  await using project = await openProject(root)
  return await execute(contextOf(project), runSync, {})
}

function contextOf({ store, root, state, code }: OpenProject): Context {
  const agent = { name: 'caller', surface: 'cli' } as const
  return createContext({ store, agent, logger: SILENT, project: { root, state }, code })
}
