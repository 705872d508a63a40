import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import type { Context } from '../context.ts'
import { Failure } from '../error.ts'
import { defineOperation } from '../operation.ts'
import { violation } from '../parse.ts'
import { type LogLine, parseLine } from '../replica/log-line.ts'
import { type LoroModule, loadLoro } from '../replica/loro.ts'
import { toOutgoing } from '../replica/outgoing.ts'
import { toSnapshot } from '../replica/snapshot.ts'
import { absorbAll, nothingIncoming, takeIn } from './merge.ts'

const FORMAT = 1
const HEADER = JSON.stringify({ waymark: 'export', format: FORMAT })
const AT_ONCE = 500

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
  output: z.object({ path: z.string(), entities: z.int(), bytes: z.int() }),
  positional: ['path'],
  async run(context, { path, history, force }) {
    const loro = loadLoro()
    if (history) await absorbAll(context, loro)
    const target = toPath(context, path)
    const draft = `${target}.${context.newId()}.part`
    let entities = 0
    let bytes = 0
    try {
      const file = await open(draft, 'wx', 0o600)
      try {
        for await (const { text, isEntity } of backupLines(context, loro, history)) {
          const line = `${text}\n`
          entities += Number(isEntity)
          bytes += Buffer.byteLength(line)
          await file.writeFile(line)
        }
        await file.sync()
      } finally {
        await file.close()
      }
      if (!force) await refuseExisting(target)
      await rename(draft, target)
    } catch (error) {
      await rm(draft, { force: true })
      throw toFileFailure(error)
    }
    return { path, entities, bytes }
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
    let isHistory = false
    let lines: LogLine[] = []
    const flush = async (): Promise<void> => {
      await takeIn(context, loro, { lines, isLogged: false }, incoming)
      lines = []
    }
    for await (const text of readLines(toPath(context, path))) {
      if (isReadable(text)) continue
      const line = parseLine(text)
      if (line === undefined) incoming.damaged += 1
      else lines.push(line)
      isHistory ||= line !== undefined
      if (lines.length >= AT_ONCE) await flush()
    }
    if (!isHistory) {
      throw violation('path', 'bad_format', 'holds nothing that can be taken in', { path })
    }
    await flush()
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
function toPath({ project, agent }: Context, path: string): string {
  const root = project?.root ?? '.'
  const target = resolve(root, path)
  const isInside = target.startsWith(`${resolve(root)}/`) && !target.includes('/.git/')
  if (agent.surface === 'cli' || isInside) return target
  throw violation('path', 'bad_format', 'must be inside the project', { path: path.slice(0, 200) })
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
