// Bundles the waymark command with code splitting: what a command does not need is never parsed.
import { writeFileSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type ChunkingContext } from 'rolldown'

const root = fileURLToPath(new URL('../packages/waymark/', import.meta.url))

/** What runs most, and what it starts with. Each file that Node has to find costs a quarter of a millisecond of a start. */
const HOT_PATHS: Readonly<Record<string, readonly string[]>> = {
  version: ['src/bin.ts'],
  any: ['src/surface/cli.ts', 'src/surface/terminal.ts'],
  read: [
    'src/surface/operation-command.ts',
    'src/operations/entities.ts',
    'src/surface/render/entities.ts',
  ],
  process: ['src/surface/process-commands.ts'],
  serve: ['src/surface/serve.ts'],
  prime: ['src/surface/prime-command.ts'],
}

const loadedWithStart = new Map<string, ReadonlySet<string>>()

const { output } = await build({
  cwd: root,
  input: { waymark: 'src/bin.ts' },
  platform: 'node',
  // Node 20 has all of it; `using` is of a later year.
  transform: { target: 'es2022' },
  resolve: {
    // Modules instead of CommonJS, of which a part that is loaded on demand would have no names.
    conditionNames: ['@waymark/source', 'module', 'import', 'node', 'default'],
    mainFields: ['module', 'main'],
  },
  // The driver finds its compiled part beside its own files.
  external: ['@photostructure/sqlite', 'loro-crdt'],
  preserveEntrySignatures: false,
  // The parser's compiled WebAssembly host has one, in a branch that Node does not take.
  checks: { eval: false, ineffectiveDynamicImport: false },
  output: {
    dir: 'dist/bin',
    cleanDir: true,
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    // Names stay: they are what a stack trace shows.
    minify: { compress: true, mangle: false, codegen: true },
    codeSplitting: {
      groups: [{ name: hotPathsOf, debugName: 'hot paths' }],
      includeDependenciesRecursively: false,
    },
  },
})

// Says which source went into which chunk, for the test of what a command loads.
const sources = output
  .filter((file) => file.type === 'chunk')
  .map(({ fileName, moduleIds }) => [fileName, moduleIds.map(toPath)])
writeFileSync(`${root}dist/bundle.json`, JSON.stringify(Object.fromEntries(sources)))

/** One chunk for what the same hot paths share, so that each of them loads a handful of files. */
function hotPathsOf(id: string, context: ChunkingContext): string | null {
  const names = Object.entries(HOT_PATHS)
    .filter(([, starts]) =>
      starts.some((start) => loadedWith(resolve(root, start), context).has(id)),
    )
    .map(([name]) => name)
  return names.length === 0 ? null : names.join('-')
}

/** The module and all that it imports, and they in turn, without what is imported on demand. */
function loadedWith(start: string, context: ChunkingContext): ReadonlySet<string> {
  const known = loadedWithStart.get(start)
  if (known !== undefined) return known
  const loaded = new Set([start])
  for (const id of loaded) {
    for (const imported of context.getModuleInfo(id)?.importedIds ?? []) loaded.add(imported)
  }
  loadedWithStart.set(start, loaded)
  return loaded
}

function toPath(id: string): string {
  return relative(root, id).split(sep).join('/')
}
