import { readFileSync, statSync } from 'node:fs'
import { Failure } from '../error.ts'

const LARGEST_FILE = 1024 * 1024

/**
 * The text of a settings file that a repository may have brought along. It can be a link to a device that never ends or
 * never begins; only a plain file is read. Undefined if there is none.
 */
export function readSettingsFile(path: string, name: string): string | undefined {
  try {
    const stats = statSync(path)
    if (stats.isFile() && stats.size <= LARGEST_FILE) return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
  throw new Failure('invalid_input', `${name} must be a plain file of at most 1 MB`)
}
