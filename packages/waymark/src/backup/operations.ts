import type { FileHandle } from 'node:fs/promises'
import * as z from 'zod'
import type { Context } from '../core/context.ts'
import { withField } from '../support/files/file-failure.ts'
import { LineCutter } from '../support/text/line-cutter.ts'
import { defineOperation } from '../core/operation.ts'
import type { Failure } from '../core/error.ts'
import { violation } from '../core/input/parse.ts'
import { type Advance, Progress } from '../core/progress.ts'
import { parseLine } from '../sync/log/log-line.ts'
import { type LoroModule, loadLoro } from '../sync/document/loro.ts'
import { toOutgoing } from '../sync/log/outgoing.ts'
import { toSnapshot } from '../sync/snapshot.ts'
import type { Store } from '../core/store/store.ts'
import { ifReadable } from '../core/store/stored-json.ts'
import { flushLocalChanges, emptyMergeReport, applyLines } from '../sync/merge/merge.ts'
import { IMPORT_SOURCES } from '../exchange/names.ts'
import { namedFiles, openNamed } from './named-files.ts'
import { hasCode } from '../support/system-error.ts'
import { takenView, toMergeCounts, toMergeRemarks } from '../sync/merge-report.ts'
import { type Block, counted, line, own } from '../core/show.ts'
import { problem, showTaken } from '../sync/show.ts'

const FORMAT = 1
const HEADER = JSON.stringify({ waymark: 'export', format: FORMAT })
const BATCH_SIZE = 500
/** Characters. */
const LARGE = 8 * 1024 * 1024

const path = z
  .string()
  .min(1)
  .describe('File; at the command line from the current folder, else from that of the project')

const exported = z.object({
  path: z.string(),
  entities: z.int(),
  bytes: z.int(),
  artifacts_left_out: z
    .int()
    .describe('Artifacts are not in it; only a copy of the whole state folder has them'),
  unreadable: z
    .array(z.string())
    .describe('Entities whose history is damaged here, and is not in it'),
})
type Exported = z.output<typeof exported>

export const exportBackup = defineOperation({
  name: 'backup.export',
  summary: 'Write everything that is known, with its history, to one JSON Lines file',
  example: 'waymark-backup.jsonl',
  off: { history: 'Leave out the history; such a file cannot be imported' },
  effect: 'write',
  input: z.object({
    path,
    history: z.boolean().default(true).describe('With the past, which an import needs'),
    force: z.boolean().default(false).describe('Replace the file if it exists'),
  }),
  output: exported,
  positional: ['path'],
  async run(context, { path, history, force }) {
    const loro = loadLoro()
    const progress = new Progress(context)
    let entities = 0
    let bytes = 0
    const unreadable: string[] = []
    const write = async (file: FileHandle) => {
      const expected = await context.store.replica.countEntities()
      const readable = await writeLines(
        file,
        readableLines(context.store),
        progress.phase('writing', 1 + expected),
      )
      entities = readable.lines - 1
      bytes = readable.bytes
      if (!history) return
      // Last, so that the history covers every readable line above, even with concurrent writers.
      await flushLocalChanges(context, loro, progress)
      const past = progress.phase('writing the past', expected)
      bytes += (await writeLines(file, historyLines(context, loro, unreadable), past)).bytes
    }
    await withField('path', () => filesOf(context).put(path, write, { mode: 0o600, isNew: !force }))
    const { artifacts } = await context.store.artifacts.totals()
    return { path, entities, bytes, artifacts_left_out: artifacts, unreadable }
  },
  show: showExported,
})

export const importBackup = defineOperation({
  name: 'backup.import',
  summary: 'Take in a backup file; what is here already stays, and nothing is doubled',
  example: 'waymark-backup.jsonl',
  effect: 'write',
  input: z.object({ path }),
  output: takenView,
  positional: ['path'],
  async run(context, { path }) {
    const loro = loadLoro()
    const incoming = emptyMergeReport()
    await using file = await withField('path', () => openBackup(context, path))
    const stats = await file.stat()
    if (stats.isDirectory()) throw notBackup(path, 'is a folder, not a backup')
    const advance = new Progress(context).phase('taking in', stats.size)
    let isHistory = false
    let read = 0
    for await (const texts of inBatches(readLines(file))) {
      const given = texts.filter((text) => !isReadable(text))
      const lines = given.map(parseLine).filter((line) => line !== undefined)
      incoming.damaged += given.length - lines.length
      isHistory ||= lines.length > 0
      await applyLines(
        context,
        loro,
        { lines, isLogged: false, received: { via: 'import' } },
        incoming,
      )
      for (const text of texts) read += Buffer.byteLength(text) + 1
      advance(read)
    }
    if (!isHistory) {
      throw notBackup(path, 'is not a backup')
    }
    return {
      ...toMergeCounts(incoming),
      ...(await toMergeRemarks(context, incoming)),
      left_alone: [...new Set(incoming.leftAlone)],
    }
  },
  show: showTaken,
})

/** The words of `waymark import` that name no file may be meant to name a tool. */
async function openBackup(context: Context, path: string): Promise<FileHandle> {
  try {
    return await openNamed(filesOf(context), path)
  } catch (error) {
    if (!hasCode(error, ['ENOENT'])) throw error
    const tools = `or import from ${IMPORT_SOURCES.join(', ')}`
    throw violation('path', 'bad_format', `there is no such file; name a backup, ${tools}`, {
      path: path.slice(0, 200),
    })
  }
}

/** What other tools have written is imported by the name of the tool. */
function notBackup(path: string, problem: string): Failure {
  const remedy = `\`waymark import <format> <path>\` takes in files of ${IMPORT_SOURCES.join(', ')}`
  return violation('path', 'bad_format', `${problem}; ${remedy}`, { path: path.slice(0, 200) })
}

/** What people read, in an order that depends on nothing but what is known. */
async function* readableLines(store: Store): AsyncGenerator<string> {
  yield HEADER
  yield* toSnapshot(store)
}

/** What an import reads. */
async function* historyLines(
  context: Context,
  loro: LoroModule,
  unreadable: string[],
): AsyncGenerator<string> {
  for (let last = ''; ;) {
    const page = await context.store.replica.documents(last, BATCH_SIZE)
    if (page.length === 0) return
    context.signal.throwIfAborted()
    for (const stored of page) {
      const outgoing = ifReadable(() => toOutgoing(loro, stored, { sinceStart: true }))
      if (outgoing === undefined) unreadable.push(stored.entityId)
      else yield* outgoing.lines
    }
    last = page.at(-1)?.entityId ?? last
  }
}

interface Written {
  readonly lines: number
  readonly bytes: number
}

async function writeLines(
  file: FileHandle,
  lines: AsyncIterable<string>,
  advance: Advance,
): Promise<Written> {
  const written = { lines: 0, bytes: 0 }
  for await (const some of inBatches(lines)) {
    const text = some.map((line) => `${line}\n`).join('')
    await file.writeFile(text)
    written.bytes += Buffer.byteLength(text)
    advance((written.lines += some.length))
  }
  return written
}

/** As many as make a good piece of work, however long they are. */
async function* inBatches(lines: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let batch: string[] = []
  let size = 0
  for await (const line of lines) {
    batch.push(line)
    size += line.length
    if (batch.length < BATCH_SIZE && size < LARGE) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}

/** The header, and the lines that are only there to be read. */
function isReadable(text: string): boolean {
  return text === HEADER || text.startsWith('{"id":') || text.trim() === ''
}

async function* readLines(file: FileHandle): AsyncGenerator<string> {
  const cutter = new LineCutter()
  for await (const piece of file.createReadStream({ encoding: 'utf8', autoClose: false })) {
    yield* cutter.push(String(piece))
  }
  yield* cutter.end()
}

function filesOf(context: Context): ReturnType<typeof namedFiles> {
  return namedFiles(context, context.shell?.folder)
}

function showExported(view: Exported): readonly Block[] {
  return [
    line`${own(counted(view.entities, 'entity'))} in ${view.path}, ${own(counted(view.bytes, 'byte'))}`,
    ...problem(
      view.artifacts_left_out,
      'artifact is not in it: only a copy of the whole state folder has it',
      'artifacts are not in it: only a copy of the whole state folder has them',
    ),
    ...problem(
      view.unreadable.length,
      'entity came without its past, which is damaged here: waymark doctor',
      'entities came without their past, which is damaged here: waymark doctor',
    ),
  ]
}
