import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { programFolder } from './program-folder.ts'

const RUN = basename(process.env['TEST_FOLDER'] ?? `process-${process.pid}`)
const pathsBySource = new Map<string, string>()

/**
 * Bundles a test program into one file, because starting it through tsx takes five times as long. Each program is
 * bundled once per run; a worker finds what another one has bundled.
 */
export function bundleProgram(source: URL): string {
  const known = pathsBySource.get(source.href)
  if (known !== undefined) return known
  const file = fileURLToPath(source)
  const root = packageOf(file)
  const folder = programFolder(root, RUN)
  const path = join(folder, relative(root, file).split(sep).join('-').replace(/ts$/, 'mjs'))
  if (!existsSync(path)) {
    const draft = `${path}.${process.pid}`
    mkdirSync(folder, { recursive: true })
    writeFileSync(draft, bundle(file))
    // Atomic: another worker may be starting the same program.
    renameSync(draft, path)
  }
  pathsBySource.set(source.href, path)
  return path
}

function bundle(file: string): Uint8Array {
  const { outputFiles } = buildSync({
    entryPoints: [file],
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
    external: ['@photostructure/sqlite', 'loro-crdt'],
  })
  return outputFiles[0]?.contents ?? new Uint8Array()
}

function packageOf(file: string): string {
  let folder = dirname(file)
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}
