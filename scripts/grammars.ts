// The parsers that ship with waymark: where each WebAssembly file comes from, and its licence.
import { createRequire } from 'node:module'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const require = createRequire(new URL('../packages/waymark/package.json', import.meta.url))

const WASMS = '@repomix/tree-sitter-wasms'
const KOTLIN = '@tree-sitter-grammars/tree-sitter-kotlin'
const RUNTIME = 'web-tree-sitter'

export interface Grammar {
  /** The file's name in the package, without its ending. */
  readonly name: string
  /** The upstream project. */
  readonly project: string
  /** The npm package that the file is taken from. */
  readonly from: string
  readonly file: string
  readonly copyright: readonly string[]
}

// The package with most of the files has no licence texts of the grammars: their copyright lines are kept here.
export const GRAMMARS: readonly Grammar[] = [
  grammar('c', 'tree-sitter-c', ['2014 Max Brunsfeld']),
  grammar('cpp', 'tree-sitter-cpp', ['2014 Max Brunsfeld']),
  grammar('csharp', 'tree-sitter-c-sharp', [
    '2014-2023 Max Brunsfeld, Damien Guard, Amaan Qureshi, and contributors.',
  ]),
  grammar('go', 'tree-sitter-go', ['2014 Max Brunsfeld']),
  grammar('java', 'tree-sitter-java', ['2017 Ayman Nadeem']),
  grammar('javascript', 'tree-sitter-javascript', ['2014 Max Brunsfeld']),
  {
    name: 'kotlin',
    project: 'tree-sitter-kotlin',
    from: KOTLIN,
    file: `${KOTLIN}/tree-sitter-kotlin.wasm`,
    copyright: ['2024 Amaan Qureshi <amaanq12@gmail.com>'],
  },
  grammar('php', 'tree-sitter-php', [
    '2017 Josh Vera, GitHub',
    '2019 Max Brunsfeld, Amaan Qureshi, Christian Frøystad, Caleb White',
  ]),
  grammar('python', 'tree-sitter-python', ['2016 Max Brunsfeld']),
  grammar('ruby', 'tree-sitter-ruby', ['2016 Rob Rix']),
  grammar('rust', 'tree-sitter-rust', ['2017 Maxim Sokolov']),
  grammar('swift', 'tree-sitter-swift', ['2021 alex-pinkus']),
  {
    name: 'tree-sitter',
    project: 'web-tree-sitter',
    from: RUNTIME,
    file: `${RUNTIME}/web-tree-sitter.wasm`,
    copyright: ['2018 Max Brunsfeld'],
  },
  grammar('tsx', 'tree-sitter-typescript', ['2017 Max Brunsfeld']),
  grammar('typescript', 'tree-sitter-typescript', ['2017 Max Brunsfeld']),
]

export function readGrammar({ file }: Grammar): Buffer {
  return readFileSync(require.resolve(file))
}

export function sha256Of(grammar: Grammar): string {
  return createHash('sha256').update(readGrammar(grammar)).digest('hex')
}

/** The version of the npm package that a file is taken from. */
export function versionOf({ from, file }: Grammar): string {
  const top = require.resolve(file).split(`${join('node_modules', from)}`)[0] ?? ''
  const manifest = readFileSync(join(top, 'node_modules', from, 'package.json'), 'utf8')
  return (JSON.parse(manifest) as { readonly version: string }).version
}

function grammar(name: string, project: string, copyright: readonly string[]): Grammar {
  const wasm = name === 'csharp' ? 'c_sharp' : name
  return { name, project, from: WASMS, file: `${WASMS}/out/tree-sitter-${wasm}.wasm`, copyright }
}
