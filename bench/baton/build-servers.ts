import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build as bundle } from 'esbuild'
import type { Plugin } from 'esbuild'

const SOURCES = fileURLToPath(new URL('servers', import.meta.url))
/** Below `node_modules`, where packages are found and nothing is checked in. */
const TARGET = fileURLToPath(new URL('../../node_modules/.cache/bench-baton', import.meta.url))

/** Compiles servers to one file each, so that a cold start loads no helper files; packages stay outside. */
export async function buildServers(
  entries: readonly string[],
  batonFolder: string,
  name: string,
): Promise<string> {
  const outdir = join(TARGET, name)
  mkdirSync(outdir, { recursive: true })
  await bundle({
    entryPoints: entries.map((entry) => join(SOURCES, `${entry}.ts`)),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    plugins: [useCompiledBaton(batonFolder)],
    logLevel: 'warning',
  })
  return outdir
}

/** baton is measured as it is published: file by file from `dist`. */
function useCompiledBaton(folder: string): Plugin {
  return {
    name: 'compiled-baton',
    setup(build) {
      build.onResolve({ filter: /^@waymark\/baton/ }, ({ path }) => {
        const [, , entry = 'index'] = path.split('/')
        return { path: join(folder, 'dist', `${entry}.js`), external: true }
      })
    },
  }
}
