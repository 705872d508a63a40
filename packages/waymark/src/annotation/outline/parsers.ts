import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { gunzipSync } from 'node:zlib'
import { Language, Parser } from 'web-tree-sitter'
import { LARGEST_MEMORY } from './limits.ts'

/** `grammars` is this far up from both this file and the bundled worker. */
const GRAMMARS = new URL('../../../grammars/', import.meta.url)

/** As much as is needed here of what Node's types leave out. */
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => {
    readonly buffer: ArrayBuffer
  }
}

const PAGE_BYTES = 65_536
const FIRST_BYTES = 32 * 1024 * 1024
/** Parsers by grammar, each loaded when it is first needed: together they are some 25 MB. */
export class Parsers {
  /** Bounded here, because the limits that V8 has for a thread do not count this memory. */
  readonly #memory = new WebAssembly.Memory({
    initial: FIRST_BYTES / PAGE_BYTES,
    maximum: LARGEST_MEMORY / PAGE_BYTES,
  })
  readonly #byGrammar = new Map<string, Promise<Parser>>()
  #runtime: Promise<void> | undefined

  get(grammar: string): Promise<Parser> {
    const known = this.#byGrammar.get(grammar)
    if (known !== undefined) return known
    const loading = this.#load(grammar)
    this.#byGrammar.set(grammar, loading)
    return loading
  }

  /** How much memory all parsers use together, in bytes. It never shrinks. */
  get memoryBytes(): number {
    return this.#memory.buffer.byteLength
  }

  async #load(grammar: string): Promise<Parser> {
    this.#runtime ??= this.#start()
    await this.#runtime
    return new Parser().setLanguage(await Language.load(readWasm(grammar)))
  }

  async #start(): Promise<void> {
    // Optimising the parser takes three times as long as parsing a file with its plain code, which is a fifth slower.
    setFlagsFromString('--no-wasm-dynamic-tiering')
    setFlagsFromString('--no-wasm-tier-up')
    const wasmBinary = readWasm('tree-sitter')
    // An abort is reported by an error; printing it as well would only clutter the log.
    await Parser.init({ wasmBinary, wasmMemory: this.#memory, printErr: () => {} })
  }
}

/** Synchronously: a thread that parses has nothing else to do, and what it need not load it starts sooner without. */
function readWasm(name: string): Uint8Array {
  return gunzipSync(readFileSync(new URL(`${name}.wasm.gz`, GRAMMARS)))
}
