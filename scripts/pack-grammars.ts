// Packs the parsers that ship with waymark: each WebAssembly grammar, gzipped, and where it comes from.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'

const target = new URL('../packages/waymark/grammars/', import.meta.url)
const require = createRequire(new URL('../packages/waymark/package.json', import.meta.url))

const WASMS = '@repomix/tree-sitter-wasms'
const SOURCES = {
  'tree-sitter': 'web-tree-sitter/web-tree-sitter.wasm',
  c: `${WASMS}/out/tree-sitter-c.wasm`,
  cpp: `${WASMS}/out/tree-sitter-cpp.wasm`,
  csharp: `${WASMS}/out/tree-sitter-c_sharp.wasm`,
  go: `${WASMS}/out/tree-sitter-go.wasm`,
  java: `${WASMS}/out/tree-sitter-java.wasm`,
  javascript: `${WASMS}/out/tree-sitter-javascript.wasm`,
  kotlin: '@tree-sitter-grammars/tree-sitter-kotlin/tree-sitter-kotlin.wasm',
  php: `${WASMS}/out/tree-sitter-php.wasm`,
  python: `${WASMS}/out/tree-sitter-python.wasm`,
  ruby: `${WASMS}/out/tree-sitter-ruby.wasm`,
  rust: `${WASMS}/out/tree-sitter-rust.wasm`,
  swift: `${WASMS}/out/tree-sitter-swift.wasm`,
  tsx: `${WASMS}/out/tree-sitter-tsx.wasm`,
  typescript: `${WASMS}/out/tree-sitter-typescript.wasm`,
}

mkdirSync(target, { recursive: true })
for (const [name, source] of Object.entries(SOURCES)) {
  const wasm = readFileSync(require.resolve(source))
  writeFileSync(new URL(`${name}.wasm.gz`, target), gzipSync(wasm, { level: 9 }))
}

const packages = ['web-tree-sitter', WASMS, '@tree-sitter-grammars/tree-sitter-kotlin']
const notices = packages.map((name) => {
  const manifest = readManifest(name)
  return `${name} ${manifest.version} (${manifest.license})\n`
})
writeFileSync(
  new URL('NOTICE', target),
  `Parsers from the tree-sitter project and its grammars, each under the MIT licence of its authors, packed from:\n\n${notices.join('')}`,
)

function readManifest(name: string): { readonly version: string; readonly license: string } {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as { version: string; license: string }
}
