import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Connection } from '@waymark/sqlite'
import { joinAgent } from '../../../src/agent/operations.ts'
import { addArtifact } from '../../../src/artifact/operations.ts'
import { execute } from '../../../src/core/execute.ts'
import { databasePath } from '../../../src/core/store/state-folder.ts'
import { createEntity } from '../../../src/entity/operations.ts'
import { sendMessage } from '../../../src/message/operations.ts'
import { claimTask } from '../../../src/task/lease/operations.ts'
import { createTask } from '../../../src/task/operations.ts'
import { CLIENT, type CodeSetup, setupCode } from '../code/code-setup.ts'

export const CODE = 'src/client.ts'
/** In the notes ref, but not in the store's copy of it. */
export const UNCOPIED = 'three attempts are enough'
export const READER = 'reader'

export interface World extends CodeSetup {
  readonly notesRef: string
  /** Values of input fields, by name; `<operation>.<field>` where operations differ. */
  readonly inputs: Readonly<Record<string, unknown>>
}

/**
 * A project in which every read finds something to write: an agent not seen for an hour, an expired lease, an outdated
 * search index, texts without vectors and Git notes that were not copied.
 */
export async function createWorld(): Promise<World> {
  const project = await setupCode()
  const { context } = project
  await execute(project.as(READER), joinAgent, {})
  await execute(context, createEntity, { type: 'note', title: 'Walls of brick' })
  await execute(context, createTask, { title: 'Paint the walls' })
  await execute(context, createEntity, {
    type: 'prompt',
    title: 'Ask',
    content: 'Say {{what}}',
  })
  const { id: artifact } = await execute(context, addArtifact, { text: 'a text' })
  await execute(project.as('ada'), sendMessage, { body: 'hello' })
  await context.store.write((tx) =>
    tx.jobs.insert({ kind: 'check', startedBy: null, process: 'elsewhere', startedAt: 0 }),
  )
  await execute(project.as('ada'), claimTask, { id: '2', seconds: 60 })
  const notesRef = await annotateUnnoticed(project)
  project.tick(60 * 60_000)
  outdateIndex(project)
  return { ...project, notesRef, inputs: inputsFor(artifact) }
}

function inputsFor(artifact: string): World['inputs'] {
  return {
    id: '2',
    'message.get.id': 1,
    'job.show.id': 1,
    'artifact.lineage.id': artifact,
    'artifact.read.id': artifact,
    'artifact.show.id': artifact,
    ids: ['2'],
    from: '1',
    'lane.list.from': '2026-11-15',
    'lane.list.to': '2026-11-16',
    'event.counts.from': '2026-11-15',
    'event.counts.to': '2026-11-16',
    to: '2',
    task: '2',
    path: CODE,
    topic: 'walls',
    query: 'walls',
    text: 'hello',
    name: 'Ask',
    arguments: { what: 'hi' },
    seconds: 0,
  }
}

/** Leaves the copy at the older of two versions of the ref, as after a fetch. Returns the ref. */
async function annotateUnnoticed(project: CodeSetup): Promise<string> {
  const first = project.commit('first', { [CODE]: CLIENT })
  await project.annotate({ commit: first, summary: 'first', regions: [] })
  const ref = project.git('for-each-ref', '--format=%(refname)', 'refs/notes').trim()
  const older = project.git('rev-parse', ref).trim()
  await project.annotate({
    commit: first,
    summary: 'second',
    regions: [{ file: CODE, anchor: 'Client.connect', intent: UNCOPIED }],
  })
  const newer = project.git('rev-parse', ref).trim()
  project.git('update-ref', ref, older)
  await project.read({ path: CODE })
  project.git('update-ref', ref, newer)
  return ref
}

function outdateIndex({ directory }: CodeSetup): void {
  const connection = new Connection(databasePath(join(directory, '.git', 'waymark')), 'write')
  connection.exec(`
    UPDATE counter SET value = 0 WHERE name = 'search_index';
    DELETE FROM document_term;
    DELETE FROM document WHERE ref IN (SELECT id FROM entity WHERE title LIKE 'Paint%')`)
  connection.close()
}

/** Hashes of all files of the repository, the write-ahead log included. The shared memory of SQLite holds only locks. */
export function hashFiles({ directory }: CodeSetup): Readonly<Record<string, string>> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    files.map((file) => [file, createHash('sha256').update(readFileSync(file)).digest('hex')]),
  )
}
