// Bundles the waymark command with code splitting: what a command does not need is never parsed.
import { rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../packages/waymark/', import.meta.url))
const outdir = `${root}dist/bin`

rmSync(outdir, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { waymark: 'src/bin.ts' },
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Modules instead of CommonJS, of which a part that is loaded on demand would have no names.
  conditions: ['@waymark/source', 'module'],
  mainFields: ['module', 'main'],
  chunkNames: 'chunks/[name]-[hash]',
  // The driver finds its compiled part beside its own files.
  external: ['@photostructure/sqlite', 'loro-crdt'],
  // Some dependencies are CommonJS inside and ask for Node's own modules with `require`.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
  },
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: false,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
})
// Says which source went into which chunk, for the test of what a command loads.
writeFileSync(`${root}dist/bundle.json`, JSON.stringify(metafile))
