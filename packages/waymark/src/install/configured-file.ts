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
import { type FileState, fileStateOf } from './file-state.ts'

/** A file together with its record in the ledger. */
export interface ConfiguredFile {
  readonly file: ConfigFile
  readonly format: FormatName
  readonly record: LedgerRecord | undefined
  readonly fileState: FileState
}

export function openConfiguredFile(
  file: ConfigFile,
  format: FormatName,
  ledger: Ledger,
): ConfiguredFile {
  const record = ledger.get(file.path)
  const recorded = record && { ...record, backup: () => ledger.before(record) }
  return { file, format, record, fileState: fileStateOf(FORMATS[format], file.bytes, recorded) }
}

/**
 * Writes a new state to disk. The ledger is written first when installing, and last when uninstalling: a crash in between
 * leaves a stale record, which is detected by its fingerprints.
 */
export async function commit(
  { file, format, record, fileState }: ConfiguredFile,
  next: FileState,
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
      // The file is unchanged, so restore the ledger.
      if (record === undefined) ledger.remove(file.path)
      else await ledger.put(record, fileState.pristine)
      throw error
    }
  }
  if (!isInstalled && next.bytes === undefined) removeFolders(folders)
  if (!isInstalled && record !== undefined) ledger.remove(file.path)
}

/** Folders created for this file or for its siblings; the last file to be removed removes them. */
function foldersFor({ path, bytes }: ConfigFile, ledger: Ledger): string[] {
  if (bytes !== undefined) return []
  const made = ledger.list().flatMap(({ folders }) => folders)
  const shared = made.filter(isAbove(path))
  return [...new Set([...shared, ...missingFolders(path)])]
}

function isAbove(path: string): (folder: string) => boolean {
  return (folder) => path.startsWith(folder + sep)
}
