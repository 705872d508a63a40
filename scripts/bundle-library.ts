// Joins the files behind each entry of the library it is told: every file that Node has to find costs half a millisecond of each start.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const [name] = process.argv.slice(2)
const root = fileURLToPath(new URL(`../packages/${name}/`, import.meta.url))
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  exports: Record<string, { '@waymark/source': string }>
}

// Runs after the compiler, whose declarations stay. What entries share goes into chunks, so each class exists once.
await build({
  absWorkingDir: root,
  entryPoints: Object.values(manifest.exports).map((entry) => entry['@waymark/source']),
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  logLevel: 'warning',
})
