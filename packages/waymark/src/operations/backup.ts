import { createReadStream } from 'node:fs'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import type { Context } from '../context.ts'
import { Failure } from '../error.ts'
import { defineOperation } from '../operation.ts'
import { violation } from '../parse.ts'
import { Progress } from '../progress.ts'
import { isWithin } from '../project-files.ts'
import { parseLine } from '../replica/log-line.ts'
import { type LoroModule, loadLoro } from '../replica/loro.ts'
import { toOutgoing } from '../replica/outgoing.ts'
import { toSnapshot } from '../replica/snapshot.ts'
import { absorbAll, nothingIncoming, takeIn } from './merge.ts'

const FORMAT = 1
const HEADER = JSON.stringify({ waymark: 'export', format: FORMAT })
const AT_ONCE = 500
/** Characters. */
const LARGE = 8 * 1024 * 1024

const path = z.string().min(1).describe('File, from the project’s folder')

export const exportBackup = defineOperation({
  name: 'backup.export',
  summary: 'Write everything that is known, with its history, to one JSON Lines file',
  effect: 'write',
  input: z.object({
    path,
    history: z.boolean().default(true).describe('With the past, which an import needs'),
    force: z.boolean().default(false).describe('Replace the file if it exists'),
  }),
  output: z.object({
    path: z.string(),
    entities: z.int(),
    bytes: z.int(),
    artifacts_left_out: z
      .int()
      .describe('Artifacts stay here; copy the cas folder for their bytes'),
  }),
  positional: ['path'],
  async run(context, { path, history, force }) {
    const loro = loadLoro()
    const target = await toPath(context, path)
    const progress = new Progress(context)
    if (history) await absorbAll(context, loro, progress)
    const advance = progress.phase('writing', await countLines(context, history))
    const draft = `${target}.${context.newId()}.part`
    const written = { lines: 0, entities: 0, bytes: 0 }
    try {
      await using file = await open(draft, 'wx', 0o600)
      for await (const lines of inBatches(backupLines(context, loro, history))) {
        const text = lines.map(({ text }) => `${text}\n`).join('')
        await file.writeFile(text)
        written.bytes += Buffer.byteLength(text)
        written.entities += lines.filter(({ isEntity }) => isEntity).length
        advance((written.lines += lines.length))
      }
      await file.sync()
      await file.close()
      if (!force) await refuseExisting(target)
      await rename(draft, target)
    } catch (error) {
      await rm(draft, { force: true })
      throw toFileFailure(error)
    }
    const { artifacts } = await context.store.artifacts.totals()
    const { entities, bytes } = written
    return { path, entities, bytes, artifacts_left_out: artifacts }
  },
})

export const importBackup = defineOperation({
  name: 'backup.import',
  summary: 'Take in a backup file; what is here already stays, and nothing is doubled',
  effect: 'write',
  input: z.object({ path }),
  output: z.object({
    created: z.int(),
    updated: z.int(),
    deleted: z.int(),
    relations: z.int(),
    damaged: z.int().describe('Lines that cannot be read'),
  }),
  positional: ['path'],
  async run(context, { path }) {
    const loro = loadLoro()
    const incoming = nothingIncoming()
    const file = await toPath(context, path)
    const advance = new Progress(context).phase('taking in', await sizeOf(file))
    let isHistory = false
    let read = 0
    for await (const texts of inBatches(readLines(file))) {
      const given = texts.filter((text) => !isReadable(text))
      const lines = given.map(parseLine).filter((line) => line !== undefined)
      incoming.damaged += given.length - lines.length
      isHistory ||= lines.length > 0
      await takeIn(context, loro, { lines, isLogged: false }, incoming)
      for (const text of texts) read += Buffer.byteLength(text) + 1
      advance(read)
    }
    if (!isHistory) {
      throw violation('path', 'bad_format', 'holds nothing that can be taken in', { path })
    }
    const { created, updated, deleted, relations, damaged } = incoming
    return { created, updated, deleted, relations, damaged }
  },
})

interface BackupLine {
  readonly text: string
  readonly isEntity: boolean
}

/** First what people read, in an order that depends on nothing but what is known; then what an import reads. */
async function* backupLines(
  context: Context,
  loro: LoroModule,
  withHistory: boolean,
): AsyncGenerator<BackupLine> {
  yield { text: HEADER, isEntity: false }
  for await (const text of toSnapshot(context.store)) yield { text, isEntity: true }
  if (!withHistory) return
  for (let last = ''; ;) {
    const page = await context.store.replica.documents(last, AT_ONCE)
    if (page.length === 0) return
    context.signal.throwIfAborted()
    for (const stored of page) {
      yield { text: toOutgoing(loro, stored, { sinceStart: true }).line, isEntity: false }
    }
    last = page.at(-1)?.entityId ?? last
  }
}

/** How many lines there will be, as far as it can be known beforehand. */
async function countLines({ store }: Context, withHistory: boolean): Promise<number> {
  return 1 + (await store.replica.countEntities()) * (withHistory ? 2 : 1)
}

/** As many as make a good piece of work, however long they are. */
async function* inBatches<T extends string | BackupLine>(
  lines: AsyncIterable<T>,
): AsyncGenerator<readonly T[]> {
  let batch: T[] = []
  let size = 0
  for await (const line of lines) {
    batch.push(line)
    size += typeof line === 'string' ? line.length : line.text.length
    if (batch.length < AT_ONCE && size < LARGE) continue
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

async function* readLines(file: string): AsyncGenerator<string> {
  try {
    const input = createReadStream(file, 'utf8')
    for await (const line of createInterface({ input, crlfDelay: Infinity })) yield line
  } catch (error) {
    throw toFileFailure(error)
  }
}

/** People at their own command line may name any file; callers from elsewhere only one inside the project. */
async function toPath({ project, agent }: Context, path: string): Promise<string> {
  const root = project?.root ?? '.'
  const target = resolve(root, path)
  if (agent.surface === 'cli') return target
  try {
    const [top, folder] = await Promise.all([realpath(root), realpath(dirname(target))])
    const real = await realpath(target).catch(() => join(folder, basename(target)))
    const names = relative(top, real).toLowerCase().split(sep)
    if (isWithin(top, real) && !names.includes('.git')) return real
  } catch (error) {
    throw toFileFailure(error)
  }
  throw violation('path', 'bad_format', 'must be inside the project', { path: path.slice(0, 200) })
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size
  } catch (error) {
    throw toFileFailure(error)
  }
}

async function refuseExisting(target: string): Promise<void> {
  const file = await open(target, 'r').catch(() => undefined)
  await file?.close()
  if (file === undefined) return
  throw new Failure('conflict', 'path: the file exists; pass force to replace it', {
    details: { field: 'path', reason: 'exists' },
  })
}

function toFileFailure(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error) || !('code' in error)) return error
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file or folder',
    EACCES: 'the file cannot be used; check its owner and permissions',
    EISDIR: 'is a folder',
    ENOSPC: 'the disk is full',
  }
  const reason = reasons[String(error.code)] ?? `the file cannot be used (${String(error.code)})`
  const code = error.code === 'ENOSPC' ? 'storage_full' : 'invalid_input'
  return new Failure(code, `path: ${reason}`, { details: { field: 'path' }, cause: error })
}
