import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

/** Inside the package, so that the program finds the same dependencies. */
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/test-programs', import.meta.url))
const pathsBySource = new Map<string, string>()

/** Bundles a test program into one file, because starting it through tsx takes five times as long. */
export function bundleProgram(source: URL): string {
  const known = pathsBySource.get(source.href)
  if (known !== undefined) return known
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(source)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@waymark/source'],
    // CommonJS dependencies of the bundle need it.
    banner: {
      js: "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);",
    },
    external: ['@photostructure/sqlite'],
  })
  const path = join(FOLDER, `${basename(source.pathname, '.ts')}.mjs`)
  const draft = `${path}.${process.pid}`
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(draft, outputFiles[0]?.contents ?? '')
  // Atomic: another worker may be starting the same program.
  renameSync(draft, path)
  pathsBySource.set(source.href, path)
  return path
}
