import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createContext } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { SILENT } from '../../src/support/logger.ts'
import { addArtifact } from '../../src/artifact/operations.ts'
import { createEntity, updateEntity } from '../../src/entity/operations.ts'
import { sendMessage } from '../../src/message/operations.ts'
import { createRelation } from '../../src/relation/operations.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { openProject } from '../../src/core/project/project.ts'
import { toSnapshot } from '../../src/sync/snapshot.ts'
import { openHandle } from '../../src/core/sqlite/driver.ts'
import { createTeam } from '../replica/clones.ts'

export interface UsedProject extends Disposable {
  /** A copy of it, which may be damaged. */
  copy(): string
}

/** A project with something of everything in it, synchronised once and used since, on the clock of the machine. */
export async function createUsedProject(): Promise<UsedProject> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-used-'))
  const original = join(folder, 'original')
  await using team = createTeam()
  const clone = await team.clone('ada')
  await use(clone.directory, () => clone.sync())
  await clone[Symbol.asyncDispose]()
  cpSync(clone.directory, original, { recursive: true })
  // Otherwise what is damaged in the database might still be whole in its log.
  alter('PRAGMA wal_checkpoint(TRUNCATE)')(original)
  rmSync(join(original, '.git', 'hooks'), { recursive: true, force: true })
  let copies = 0
  return {
    copy: () => {
      const directory = join(folder, `copy ${(copies += 1)}`)
      cpSync(original, directory, { recursive: true })
      return directory
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  }
}

async function use(directory: string, sync: () => Promise<unknown>): Promise<void> {
  await using project = await openProject(directory)
  const { store, code, root, state } = project
  const agent = { name: 'ada', surface: 'api' as const }
  const context = createContext({ store, agent, logger: SILENT, code, project: { root, state } })
  const note = { type: 'note', content: 'some text\n'.repeat(200), tags: ['x', 'y'] } as const
  const { id } = await execute(context, createEntity, { ...note, title: 'a note' })
  for (let n = 0; n < 12; n += 1) await execute(context, createEntity, { ...note, title: `${n}` })
  const { task } = await execute(context, createTask, { title: 'first', labels: ['red'] })
  const { task: next } = await execute(context, createTask, { title: 'second', priority: 7 })
  await execute(context, createRelation, { source: task.id, target: next.id, type: 'blocks' })
  await execute(context, claimTask, { id: task.id })
  await execute(context, sendMessage, { body: 'to everybody' })
  await execute(context, sendMessage, { body: 'about it', task: task.id })
  await execute(context, addArtifact, { text: 'the bytes', name: 'a.txt' })
  await sync()
  await execute(context, updateEntity, { id, title: 'a later note' })
}

/** What there is to know in a project, in one text. */
export async function knowledgeOf(directory: string): Promise<string> {
  await using project = await openProject(directory)
  const lines: string[] = []
  for await (const line of toSnapshot(project.store)) lines.push(line)
  return lines.join('\n')
}

export function stateOf(directory: string): string {
  return join(directory, '.git', 'waymark')
}

export function databaseOf(directory: string): string {
  return join(stateOf(directory), 'waymark.db')
}

/** Changes the database behind the back of everything that would keep it whole. */
export function alter(...statements: readonly string[]): (directory: string) => void {
  return (directory) => {
    const url = pathToFileURL(databaseOf(directory)).href
    for (const statement of ['PRAGMA foreign_keys = OFF', ...statements]) {
      // A new connection for each: a changed schema is seen only by the next one.
      const handle = openHandle(url, { readOnly: false, timeout: 0 })
      handle.enableDefensive?.(false)
      handle.exec(`PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON; ${statement}`)
      handle.close()
    }
  }
}

export function overwrite(from: number, bytes: Buffer): (directory: string) => void {
  return (directory) => {
    const content = readFileSync(databaseOf(directory))
    bytes.copy(content, from)
    writeFileSync(databaseOf(directory), content)
  }
}

export function eachContent(change: (path: string) => void): (directory: string) => void {
  return (directory) => {
    const files = readdirSync(stateOf(directory), { recursive: true, withFileTypes: true })
    for (const { parentPath, name } of files.filter((file) => file.isFile()))
      if (/^[0-9a-f]{20,}/.test(name)) change(join(parentPath, name))
  }
}
