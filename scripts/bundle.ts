// Bundles the waymark command with code splitting: what a command does not need is never parsed.
import { writeFileSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  build,
  type BuildOptions,
  type ChunkingContext,
  type OutputOptions,
  type Plugin,
} from 'rolldown'
import { WORKER_SOURCES } from '../packages/waymark/src/support/worker/start-worker.ts'
import { builtinModules } from './builtin-modules.ts'
import { loadedWith } from './loaded-with.ts'
import { copyLicense, toNotices } from './notices.ts'

const root = fileURLToPath(new URL('../packages/waymark/', import.meta.url))

/** What runs most, and the modules that it starts with. */
const PATHS = {
  version: ['src/support/version.ts'],
  any: ['src/surfaces/cli/cli.ts', 'src/surfaces/terminal/terminal.ts'],
  read: ['src/surfaces/cli/operation-command.ts', 'src/entity/operations.ts', 'src/entity/show.ts'],
  tasks: ['src/task/queue/list.ts', 'src/task/queue/operations.ts', 'src/task/show.ts'],
  process: ['src/surfaces/cli/process-commands.ts'],
  // What else a brief or a server loads must not come along with these.
  work: ['src/git/repository.ts', 'src/sync/operations.ts', 'src/task/lease/operations.ts'],
  lock: ['src/support/files/file-lock.ts'],
  serve: ['src/surfaces/serve/serve.ts'],
  brief: ['src/surfaces/hook/brief-text.ts'],
  // What a brief tells of the files at hand, and commands about code need too.
  regions: ['src/git/history/changed-paths.ts', 'src/annotation/region/find-regions.ts'],
  code: ['src/annotation/operations.ts'],
} as const

/**
 * The chunks for these paths. A module goes into the first whose paths all load it, so that a command finds a handful
 * of files, a quarter of a millisecond each, and none with what it does not need.
 */
const CHUNKS: readonly (readonly (keyof typeof PATHS)[])[] = [
  ['version'],
  ['any', 'brief'],
  ['read', 'serve', 'brief'],
  ['read', 'brief'],
  ['serve', 'brief'],
  ['work', 'brief'],
  ['brief'],
  ['any'],
  ['read', 'serve'],
  ['read'],
  ['tasks'],
  ['process'],
  ['lock'],
  ['serve'],
  ['regions'],
  ['code'],
]

/** What a hook loads of the command to make a brief. */
const BRIEF = 'src/surfaces/hook/brief-text.ts'
const VACUUM = 'src/core/sqlite/vacuum.ts'

const OPTIONS = {
  cwd: root,
  platform: 'node',
  // Node 20 has all of it; `using` is of a later year.
  transform: { target: 'es2022' },
  resolve: {
    // Modules instead of CommonJS, of which a part that is loaded on demand would have no names.
    conditionNames: ['@waymark/source', 'module', 'import', 'node', 'default'],
    mainFields: ['module', 'main'],
  },
  // The driver finds its compiled part beside its own files.
  external: ['@photostructure/sqlite', 'loro-crdt', 'pg'],
  preserveEntrySignatures: false,
  plugins: [builtinModules()],
  // The parser's compiled WebAssembly host has one, in a branch that Node does not take.
  checks: { eval: false, ineffectiveDynamicImport: false },
} as const satisfies BuildOptions

const OUTPUT = {
  format: 'esm',
  // Names stay: they are what a stack trace shows.
  minify: { compress: true, mangle: false, codegen: true },
} as const satisfies OutputOptions

const command = await build({
  ...OPTIONS,
  preserveEntrySignatures: 'allow-extension',
  input: { waymark: 'src/bin.ts', 'brief-text': BRIEF, vacuum: VACUUM },
  output: {
    ...OUTPUT,
    dir: 'dist/bin',
    cleanDir: true,
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: {
      groups: [{ name: chunkOf, debugName: 'paths' }],
      includeDependenciesRecursively: false,
    },
  },
})

// A thread loads one file with exactly what it needs; sharing chunks with the command would load more.
const workers = await Promise.all(
  Object.entries(WORKER_SOURCES).map(([name, source]) =>
    build({
      ...OPTIONS,
      input: { [`workers/${name}`]: `src/${source}` },
      output: { ...OUTPUT, dir: 'dist/bin', codeSplitting: false },
    }),
  ),
)

// So are hooks, for which hosts wait at each edit. CommonJS, because Node's loader of modules is a part of what they take.
const hook = await build({
  ...OPTIONS,
  plugins: [partsOfCommand()],
  input: { hook: 'src/hook-bin.ts' },
  output: {
    ...OUTPUT,
    format: 'cjs',
    dir: 'dist/bin/hook',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
  },
})

// Says which source went into which chunk, for the test of what a command loads.
const chunks = [command, ...workers, hook].flatMap(({ output }) =>
  output.filter((file) => file.type === 'chunk'),
)
const sources = chunks.map(({ fileName, moduleIds }) => [fileName, moduleIds.map(toPath)])
writeFileSync(`${root}dist/bundle.json`, JSON.stringify(Object.fromEntries(sources)))
writeFileSync(`${root}dist/bin/NOTICE.md`, toNotices(chunks.flatMap(({ moduleIds }) => moduleIds)))
copyLicense(root)

/** Takes the brief and the start of a thread from the command, whose files hold all that they need. */
function partsOfCommand(): Plugin {
  const parts = { 'brief-text': BRIEF, vacuum: VACUUM }
  return {
    name: 'parts-of-command',
    resolveId: (id) => {
      const [name] = Object.entries(parts).find(([, path]) => path.endsWith(id.slice(1))) ?? []
      return name === undefined ? undefined : { id: `../${name}.js`, external: true }
    },
  }
}

function chunkOf(id: string, context: ChunkingContext): string | null {
  const isOn = (path: keyof typeof PATHS): boolean =>
    PATHS[path].some((start) => loadedWith(resolve(root, start), context).has(id))
  return CHUNKS.find((paths) => paths.every(isOn))?.join('-') ?? null
}

function toPath(id: string): string {
  return relative(root, id).split(sep).join('/')
}
