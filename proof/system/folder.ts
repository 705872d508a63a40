import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Folder extends Disposable {
  readonly path: string
}

/** An empty folder that is gone afterwards. */
export function createFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'waymark-proof-'))
  return {
    path,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }),
  }
}
