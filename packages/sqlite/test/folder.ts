import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TemporaryFolder extends Disposable {
  readonly path: string
}

export function createFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'waymark-sqlite-'))
  return {
    path,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 10 }),
  }
}
