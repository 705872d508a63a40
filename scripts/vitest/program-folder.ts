import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGES = fileURLToPath(new URL('../../packages/', import.meta.url))

/**
 * The folder of a run for bundled test programs: inside their package, where they find the same dependencies. What it
 * holds is as deep as the sources, which look for files of the package three folders up.
 */
export function runFolder(packageFolder: string, run: string): string {
  return join(packageFolder, 'node_modules', `.test-programs-${run}`)
}

export function removePrograms(run: string): void {
  for (const name of readdirSync(PACKAGES)) {
    const folder = runFolder(join(PACKAGES, name), run)
    if (existsSync(folder)) rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}
