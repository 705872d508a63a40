import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build as bundle } from 'esbuild'
import type { BuildOptions, Plugin } from 'esbuild'

const SOURCES = fileURLToPath(new URL('servers', import.meta.url))
/** Below `node_modules`, where packages are found and nothing is checked in. */
const TARGET = fileURLToPath(new URL('../../node_modules/.cache/bench-baton', import.meta.url))

/** Some packages are CommonJS and ask for Node's modules in a way that does not exist in ES modules. */
const REQUIRE_BANNER =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

/** Folders with the compiled servers of one baton. */
export interface BuiltServers {
  /** Packages are loaded as they are installed, baton from its `dist`. */
  readonly asInstalled: string
  /** Packages are joined with the server, as many are when they are published. */
  readonly bundled: string
}

/** Compiles servers, so that a cold start loads no other files of the benchmark than it would of an application. */
export async function buildServers(
  entries: readonly string[],
  batonFolder: string,
  name: string,
): Promise<BuiltServers> {
  const common: BuildOptions = {
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What a server imports later is in files of its own.
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  }
  const asInstalled = join(TARGET, name)
  const bundled = join(TARGET, `${name}-bundled`)
  // One by one: a bundle of several servers would hold what only another one needs.
  for (const entry of entries) {
    const entryPoints = [join(SOURCES, `${entry}.ts`)]
    await bundle({
      ...common,
      entryPoints,
      outdir: asInstalled,
      packages: 'external',
      plugins: [useCompiledBaton(batonFolder, true)],
    })
    await bundle({
      ...common,
      entryPoints,
      outdir: bundled,
      mainFields: ['module', 'main'],
      banner: { js: REQUIRE_BANNER },
      plugins: [useCompiledBaton(batonFolder, false)],
    })
  }
  return { asInstalled, bundled }
}

function useCompiledBaton(folder: string, external: boolean): Plugin {
  return {
    name: 'compiled-baton',
    setup(build) {
      build.onResolve({ filter: /^@waymark\/baton/ }, ({ path }) => {
        const [, , entry = 'index'] = path.split('/')
        return { path: join(folder, 'dist', `${entry}.js`), external }
      })
    },
  }
}
