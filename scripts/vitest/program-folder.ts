import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGES = fileURLToPath(new URL('../../packages/', import.meta.url))

/**
 * Where the bundled test programs of a run are: inside their package, where they find the same dependencies, and as
 * deep as the sources, which look for files of the package three folders up.
 */
export function programFolder(packageFolder: string, run: string): string {
  return join(packageFolder, 'node_modules', '.test-programs', run)
}

export function removePrograms(run: string): void {
  for (const name of readdirSync(PACKAGES)) {
    const folder = programFolder(join(PACKAGES, name), run)
    if (existsSync(folder)) rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}
