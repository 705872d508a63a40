// Joins the files behind each entry of the library it is told: every file that Node has to find costs half a millisecond of each start.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, parse, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type ChunkingContext } from 'rolldown'
import { loadedWith } from './loaded-with.ts'
import { copyLicense, toNotices } from './notices.ts'

/** What is loaded after the main entry, by itself or on demand. */
const LATER_PARTS: Readonly<Record<string, readonly string[]>> = {
  baton: ['node.ts', 'transport/http/http-handler.ts', 'session/sqlite/session-store.ts'],
}

/** Third-party libraries that an entry re-exports in one minified file. */
const HANDED_ON: Readonly<Record<string, readonly string[]>> = { baton: ['./src/zod.ts'] }

const [name = ''] = process.argv.slice(2)
const root = fileURLToPath(new URL(`../packages/${name}/`, import.meta.url))
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  exports: Record<string, { '@waymark/source': string }>
  dependencies?: Record<string, string>
}

const handedOn = HANDED_ON[name] ?? []
const entries = Object.values(manifest.exports).map((entry) => entry['@waymark/source'])
// Node 20 has all of it; `using` is of a later year.
const common = { cwd: root, platform: 'node', transform: { target: 'es2022' } } as const

// Runs after the compiler, whose declarations stay; only the joined files of an earlier run have other names.
rmSync(`${root}dist/chunks`, { recursive: true, force: true })
await build({
  ...common,
  input: entries.filter((entry) => !handedOn.includes(entry)),
  external: Object.keys(manifest.dependencies ?? {}),
  output: {
    dir: 'dist',
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    sourcemap: true,
    // The declarations have them, where editors look.
    comments: { jsdoc: false },
    codeSplitting: { groups: [{ name: toCore, debugName: 'core' }] },
  },
})
for (const input of handedOn) {
  rmSync(`${root}dist/${parse(input).name}.js.map`, { force: true })
  const { output } = await build({ ...common, input, output: { dir: 'dist', minify: true } })
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  writeFileSync(`${root}dist/NOTICE.md`, toNotices(modules))
  // For the bill of materials.
  const paths = modules.map((id) => relative(root, id).split(sep).join('/'))
  writeFileSync(`${root}dist/bundle.json`, JSON.stringify({ [`${parse(input).name}.js`]: paths }))
}
copyLicense(root)

/** One file for what the main entry loads and what later parts share; Node's modules are in theirs, as others lack them. */
function toCore(id: string, context: ChunkingContext): string | null {
  const isLoadedWith = (file: string): boolean =>
    loadedWith(join(root, 'src', file), context).has(id)
  const isShared = (LATER_PARTS[name] ?? []).filter(isLoadedWith).length > 1
  return isShared || isLoadedWith('index.ts') ? 'core' : null
}
