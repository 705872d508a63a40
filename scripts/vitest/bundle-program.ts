import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { runFolder } from './program-folder.ts'

const RUN = basename(process.env['TEST_FOLDER'] ?? `process-${process.pid}`)

/**
 * Bundles a test program into one file, because starting it through tsx takes five times as long. Each program is
 * bundled once per run; a worker finds what another one has bundled.
 */
export function bundleProgram(source: URL): string {
  const file = fileURLToPath(source)
  const root = packageOf(file)
  const name = relative(root, file).split(sep).join('-').replace(/ts$/, 'mjs')
  return bundleOnce(file, join(runFolder(root, RUN), 'programs', name))
}

/** Bundles the worker threads of bundled programs to where they look for them. */
export function bundleWorkers(sources: URL, names: Readonly<Record<string, string>>): void {
  const folder = runFolder(packageOf(fileURLToPath(sources)), RUN)
  for (const [name, path] of Object.entries(names))
    bundleOnce(fileURLToPath(new URL(path, sources)), join(folder, 'workers', `${name}.js`))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
}

function bundleOnce(file: string, path: string): string {
  if (existsSync(path)) return path
  const draft = `${path}.${process.pid}`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(draft, bundle(file))
  // Atomic: another worker may be starting the same program.
  renameSync(draft, path)
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
    conditions: ['@waymark/source', 'module'],
    mainFields: ['module', 'main'],
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
