import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import * as z from 'zod'
import { Failure } from '../../core/error.ts'
import { makeFolder } from '../../support/files/put-file.ts'
import {
  fingerprint,
  missingFolders,
  readConfigFile,
  removeFolders,
  replaceFile,
} from '../config-file.ts'
import type { Json } from '../format/edit.ts'

const json: z.ZodType<Json> = z.json()

const recordedEdit = z.object({
  kind: z.enum(['entry', 'item', 'default', 'section']),
  path: z.array(z.string()),
  isListed: z.boolean().optional(),
  value: json,
  /** How many steps of the path were there before. */
  keep: z.number().int(),
  /** What was in its place before. */
  previous: json.optional(),
})

const part = z.object({
  host: z.string(),
  part: z.enum(['server', 'hook', 'instructions']),
  edits: z.array(recordedEdit),
})

const record = z.object({
  version: z.literal(1),
  file: z.string(),
  format: z.enum(['json', 'toml', 'yaml', 'section', 'file']),
  /** Fingerprint of the file without us; null: there was none. The bytes are in the backup. */
  before: z.string().nullable(),
  /** Fingerprint of the file as we left it. */
  after: z.string().nullable(),
  /** Folders that were made for it, outermost first. */
  folders: z.array(z.string()),
  parts: z.array(part),
})

export type RecordedEdit = z.infer<typeof recordedEdit>
export type Part = z.infer<typeof part>
export type LedgerRecord = z.infer<typeof record>

/**
 * Records our changes to users' files: one folder for each file, with a record and a backup of the file without our
 * changes. The record is written before the file is changed, so that every change on disk can be undone.
 */
export interface Ledger {
  readonly folder: string
  get(path: string): LedgerRecord | undefined
  /** The file as it would be without us; undefined if there was none. */
  before(record: LedgerRecord): Buffer | undefined
  put(record: LedgerRecord, before: Buffer | undefined): Promise<void>
  remove(path: string): void
  /** Those that can be read. */
  list(): readonly LedgerRecord[]
}

export function openLedger(folder: string): Ledger {
  const folderOf = (path: string) => join(folder, toId(path))
  const list = () =>
    listFolder(folder)
      .map((name) => parseRecord(join(folder, name)))
      .filter((entry) => typeof entry === 'object')
  return {
    folder,
    get: (path) => readRecord(folderOf(path)),
    before: (entry) => readBackup(folderOf(entry.file), entry),
    put: async (entry, before) => {
      const own = folderOf(entry.file)
      const made = missingFolders(own)
      // Configuration files hold tokens; a copy must not be easier to read than the original.
      await makeFolder(own, 0o700)
      if (made.length > 0) await write(join(folder, FOLDERS), toBytes(made))
      await write(join(own, 'before'), before)
      await write(join(own, 'record.json'), toBytes(entry))
    },
    remove: (path) => {
      rmSync(folderOf(path), { recursive: true, force: true })
      if (list().length === 0) removeLedger(folder)
    },
    list,
  }
}

/** Lists the folders that were created for the ledger itself, so that they can be removed with it. */
const FOLDERS = 'folders.json'

function removeLedger(folder: string): void {
  const path = join(folder, FOLDERS)
  const made = z.array(z.string()).safeParse(parseJson(readIfPresent(path) ?? ''))
  rmSync(path, { force: true })
  // The list may come from a clone: accept only parent folders of the ledger.
  removeFolders((made.data ?? []).filter((each) => path.startsWith(each + sep)))
}

function toBytes(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}

function toId(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16)
}

function listFolder(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

async function write(path: string, bytes: Buffer | undefined): Promise<void> {
  await replaceFile(readConfigFile(path), bytes)
}

function readRecord(folder: string): LedgerRecord | undefined {
  const found = parseRecord(folder)
  if (found !== 'damaged') return found
  throw new Failure(
    'storage_corrupt',
    `cannot be undone: the record of what was changed is damaged; the file as it was is kept in ${folder}`,
    { details: { folder } },
  )
}

/** A record is valid only for the file that its folder is named after; a clone may ship any record. */
function parseRecord(folder: string): LedgerRecord | 'damaged' | undefined {
  const text = readIfPresent(join(folder, 'record.json'))
  if (text === undefined) return undefined
  const found = record.safeParse(parseJson(text)).data
  return found !== undefined && toId(found.file) === basename(folder) ? found : 'damaged'
}

function readIfPresent(path: string): string | undefined {
  return readConfigFile(path).bytes?.toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Ignores a backup that does not match the fingerprint in the record. */
function readBackup(folder: string, { before }: LedgerRecord): Buffer | undefined {
  if (before === null) return undefined
  const { bytes } = readConfigFile(join(folder, 'before'))
  if (fingerprint(bytes) === before) return bytes
  throw new Failure(
    'storage_corrupt',
    `cannot be restored: the copy of how it was is damaged: ${folder}`,
    {
      details: { folder },
    },
  )
}
