import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Folder extends Disposable {
  readonly path: string
}

/** In memory where the system has such a folder, for what is not about the disk. */
export const IN_MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** An empty folder that is gone afterwards. */
export function createFolder(parent = tmpdir()): Folder {
  const path = mkdtempSync(join(parent, 'waymark-proof-'))
  return {
    path,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }),
  }
}
