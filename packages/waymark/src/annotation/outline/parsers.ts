import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Language, Parser } from 'web-tree-sitter'

// The same three steps up from here and from the bundle's chunks.
const GRAMMARS = new URL('../../../grammars/', import.meta.url)

/** Parsers by grammar, each loaded when it is first needed: together they are some 25 MB. */
export class Parsers {
  readonly #byGrammar = new Map<string, Promise<Parser>>()
  #runtime: Promise<void> | undefined

  get(grammar: string): Promise<Parser> {
    const known = this.#byGrammar.get(grammar)
    if (known !== undefined) return known
    const loading = this.#load(grammar)
    this.#byGrammar.set(grammar, loading)
    return loading
  }

  async #load(grammar: string): Promise<Parser> {
    this.#runtime ??= readWasm('tree-sitter').then((wasmBinary) => Parser.init({ wasmBinary }))
    const [wasm] = await Promise.all([readWasm(grammar), this.#runtime])
    return new Parser().setLanguage(await Language.load(wasm))
  }
}

async function readWasm(name: string): Promise<Uint8Array> {
  const packed = await readFile(new URL(`${name}.wasm.gz`, GRAMMARS))
  return await promisify(gunzip)(packed)
}
