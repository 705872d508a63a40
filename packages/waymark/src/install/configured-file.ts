import { sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  type ConfigFile,
  fingerprint,
  missingFolders,
  removeFolders,
  replaceFile,
} from './config-file.ts'
import { FORMATS, type FormatName } from './format/formats.ts'
import type { Ledger, LedgerRecord } from './ledger/ledger.ts'
import { type Situation, situationOf } from './situation.ts'

/** A file together with what the ledger says about it. */
export interface ConfiguredFile {
  readonly file: ConfigFile
  readonly format: FormatName
  readonly record: LedgerRecord | undefined
  readonly situation: Situation
}

export function openConfiguredFile(
  file: ConfigFile,
  format: FormatName,
  ledger: Ledger,
): ConfiguredFile {
  const record = ledger.get(file.path)
  const recorded = record && { ...record, backup: () => ledger.before(record) }
  return { file, format, record, situation: situationOf(FORMATS[format], file.bytes, recorded) }
}

/**
 * Makes a new situation true on disk. The ledger goes first when there will be something to undo, and last when there
 * will be nothing: a crash in between leaves a record too many, which the next look at the file sees through.
 */
export async function commit(
  { file, format, record, situation }: ConfiguredFile,
  next: Situation,
  ledger: Ledger,
): Promise<void> {
  const folders = (record?.folders ?? foldersFor(file, ledger)).filter(isAbove(file.path))
  const after: LedgerRecord = {
    version: 1,
    file: file.path,
    format,
    before: fingerprint(next.pristine),
    after: fingerprint(next.bytes),
    folders,
    parts: [...next.parts],
  }
  const isInstalled = next.parts.length > 0
  if (isInstalled && !isDeepStrictEqual(after, record)) await ledger.put(after, next.pristine)
  if (after.after !== fingerprint(file.bytes)) {
    try {
      await replaceFile(file, next.bytes)
    } catch (error) {
      // The file is as it was, so the ledger must say what it said.
      if (record === undefined) ledger.remove(file.path)
      else await ledger.put(record, situation.pristine)
      throw error
    }
  }
  if (!isInstalled && next.bytes === undefined) removeFolders(folders)
  if (!isInstalled && record !== undefined) ledger.remove(file.path)
}

/** What has to be made for a file, and what was made for files beside it: whichever of them goes last takes it along. */
function foldersFor({ path, bytes }: ConfigFile, ledger: Ledger): string[] {
  if (bytes !== undefined) return []
  const made = ledger.list().flatMap(({ folders }) => folders)
  const shared = made.filter(isAbove(path))
  return [...new Set([...shared, ...missingFolders(path)])]
}

function isAbove(path: string): (folder: string) => boolean {
  return (folder) => path.startsWith(folder + sep)
}
