import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Context, createContext } from '../../../src/core/context.ts'
import { execute } from '../../../src/core/execute.ts'
import type { RunningProcess } from '../../../src/install/machine/program.ts'
import { SILENT } from '../../../src/support/logger.ts'
import { addArtifact, listArtifacts } from '../../../src/artifact/operations.ts'
import { collectArtifacts } from '../../../src/artifact/content/collect.ts'
import { readArtifact } from '../../../src/artifact/content/content.ts'
import { annotateCode } from '../../../src/annotation/write/annotate.ts'
import { readCode } from '../../../src/annotation/read/read.ts'
import { createEntity } from '../../../src/entity/operations.ts'
import { runSync } from '../../../src/sync/operations.ts'
import {
  initialiseProject,
  type OpenProject,
  openProject,
} from '../../../src/core/project/project.ts'
import { doctorCommand } from '../../../src/surfaces/install/doctor-command.ts'
import { openSecretFile, secretPath } from '../../../src/surfaces/serve/secret-file.ts'
import { openSessions } from '../../../src/surfaces/serve/session-file.ts'
import { installCommand } from '../../../src/surfaces/install/install-command.ts'
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

type Attempt = (name: string, use: () => Promise<unknown>) => Promise<void>

/** An entry below `cas`, `cache` or `install` matters only to what opens that folder; any other one to everything. */
async function useProject(
  root: string,
  home: string,
  entry: string,
): Promise<Record<string, string>> {
  const area = entry.includes('/') ? entry.slice(0, entry.indexOf('/')) : undefined
  const answers: Record<string, string> = {}
  const attempt: Attempt = async (name, use) => {
    try {
      answers[name] = `ok ${JSON.stringify(await use())}`
    } catch (error) {
      answers[name] = `${String(error)} ${JSON.stringify(error)}`
    }
  }
  const isUsedBy = (folder: string) => area === undefined || area === folder
  await attempt('init', () => initialiseProject(root))
  await attempt('open', async () => {
    await using project = await openProject(root)
    await attempt('add', () => addNote(contextOf(project)))
    if (isUsedBy('cas')) await useArtifacts(contextOf(project), attempt)
    if (isUsedBy('cache')) await useCode(contextOf(project), attempt)
    if (area === undefined) await useOthers(project, attempt)
  })
  if (isUsedBy('install')) await install(root, home, attempt)
  if (isUsedBy('cas')) await attempt('doctor', () => examine(root, home))
  return answers
}

async function addNote(context: Context): Promise<unknown> {
  return await execute(context, createEntity, { type: 'note', title: 'a note' })
}

async function useArtifacts(context: Context, attempt: Attempt): Promise<void> {
  await attempt('read artifact', async () => {
    const { artifacts } = await execute(context, listArtifacts, {})
    return await execute(context, readArtifact, { id: artifacts[0]?.id ?? '' })
  })
  await attempt('add artifact', () => execute(context, addArtifact, { text: 'stored again' }))
  await attempt('collect', () => execute(context, collectArtifacts, {}))
}

async function useCode(context: Context, attempt: Attempt): Promise<void> {
  await attempt('annotate', () => execute(context, annotateCode, { summary: 'again' }))
  await attempt('code', () => execute(context, readCode, { path: 'code.ts' }))
}

async function useOthers(project: OpenProject, attempt: Attempt): Promise<void> {
  await attempt('sync', () => execute(contextOf(project), runSync, {}))
  await attempt('secret', async () => void openSecretFile(secretPath(project.state)))
  await attempt('sessions', async () => {
    await using _ = await openSessions(project.state, 'waymark')
  })
}

async function install(root: string, home: string, attempt: Attempt): Promise<void> {
  for (const uninstall of [false, true]) {
    await attempt(uninstall ? 'uninstall' : 'install', async () => {
      const terminal = terminalOf(root, home)
      await installCommand(['claude-code'], { uninstall }, terminal, runningIn(home))
      return terminal.output
    })
  }
}

async function examine(root: string, home: string): Promise<unknown> {
  const terminal = terminalOf(root, home)
  await doctorCommand({ json: true }, terminal, runningIn(home))
  return terminal.output
}

function terminalOf(root: string, home: string) {
  return createTestTerminal(root, { env: { ...process.env, HOME: home } })
}

function runningIn(home: string): RunningProcess {
  return { node: process.execPath, script: join(home, 'waymark.js') }
}

function contextOf({ store, root, state, code }: OpenProject): Context {
  const agent = { name: 'caller', surface: 'cli' } as const
  return createContext({ store, agent, logger: SILENT, project: { root, state }, code })
}
