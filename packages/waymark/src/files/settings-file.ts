import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure } from '../error.ts'
import { hasCode } from '../system-error.ts'
import { linked, readRegularFile } from './regular-file.ts'

const LARGEST_FILE = 1024 * 1024

/**
 * The text of a settings file in the tree, which may have come with a clone: it must be a regular file inside the project,
 * since a symlink could lead to a file of the user's that an error would then quote. Undefined if there is none.
 */
export function readSettingsFile(root: string, name: string): string | undefined {
  const refusing = { name, code: 'invalid_input' } as const
  try {
    for (let folder = dirname(name); folder !== '.'; folder = dirname(folder)) {
      const found = lstatSync(join(root, folder), { throwIfNoEntry: false })
      if (found?.isSymbolicLink() === true) throw linked(folder, { ...refusing, name: folder })
    }
    return readRegularFile(join(root, name), LARGEST_FILE, refusing)
  } catch (error) {
    if (!hasCode(error, ['EACCES', 'EPERM'])) throw error
    throw new Failure('invalid_input', `${name} cannot be read; check its owner and permissions`, {
      cause: error,
    })
  }
}
