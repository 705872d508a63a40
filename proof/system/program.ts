import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

/** As deep in its package as the sources are: they find files of the package relative to themselves. */
const CACHE = fileURLToPath(
  new URL('../../packages/waymark/node_modules/.cache/proof/', import.meta.url),
)
const built = new Map<string, Promise<string>>()

/** A mistake in one place of the product's source. */
export interface SourceFault {
  readonly name: string
  /** Below `packages/waymark/src`. */
  readonly file: string
  readonly right: string
  readonly wrong: string
}

/**
 * Joins a program and the sources it uses to one file: many processes that each translate them would start too slowly.
 * With faults the program is built of sources that have these mistakes.
 */
export function buildProgram(
  source: URL,
  ...given: readonly (SourceFault | undefined)[]
): Promise<string> {
  const faults = given.filter((fault) => fault !== undefined)
  const key = `${source.href} ${faults.map(({ name }) => name).join(' ')}`
  const known = built.get(key)
  if (known !== undefined) return known
  const made = bundle(source, faults)
  built.set(key, made)
  return made
}

async function bundle(source: URL, faults: readonly SourceFault[]): Promise<string> {
  mkdirSync(CACHE, { recursive: true })
  const name = source.pathname.split('/').at(-1)?.replace('.ts', '') ?? 'program'
  const outfile = `${CACHE}${[name, ...faults.map((fault) => fault.name), process.pid].join('-')}.mjs`
  await build({
    entryPoints: [fileURLToPath(source)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['@waymark/source'],
    mainFields: ['module', 'main'],
    external: ['@photostructure/sqlite', 'loro-crdt', 'web-tree-sitter', 'pg-native'],
    // Packages in CommonJS ask for built-in modules.
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'; globalThis.require ??= requireOf(import.meta.url);`,
    },
    plugins: [planting(faults)],
    logLevel: 'error',
  })
  return outfile
}

/** One plugin for all of them: of several, only the first one that loads a file is asked. */
function planting(faults: readonly SourceFault[]): Plugin {
  return {
    name: 'source-faults',
    setup(bundling) {
      bundling.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const place = path.replaceAll('\\', '/')
        const planted = faults.filter(({ file }) => place.endsWith(`/packages/waymark/src/${file}`))
        if (planted.length === 0) return undefined
        const text = await readFile(path, 'utf8')
        return { contents: planted.reduce(plant, text), loader: 'ts' }
      })
    },
  }
}

function plant(text: string, { name, file, right, wrong }: SourceFault): string {
  if (text.split(right).length !== 2) throw new Error(`${name}: not once in ${file}: ${right}`)
  return text.replace(right, () => wrong)
}

/** A process that says what it did in lines of JSON on standard output, which outlive its end. */
export class Program {
  readonly #process: ChildProcess
  readonly #lines: string[] = []
  readonly #closed: Promise<unknown>
  readonly #waiting = new Set<() => void>()
  #errors = ''

  constructor(script: string, assignment: unknown, env: NodeJS.ProcessEnv = {}) {
    this.#process = spawn(process.execPath, [script, JSON.stringify(assignment)], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    })
    const { stdout, stderr } = this.#process
    if (stdout === null || stderr === null) throw new Error('a process without pipes')
    createInterface(stdout).on('line', (line) => {
      this.#lines.push(line)
      this.#wake()
    })
    stderr.on('data', (text: Buffer) => (this.#errors += text.toString()))
    this.#closed = once(this.#process, 'close').then(() => this.#wake())
  }

  /** What it has said so far. The last line of a killed process may be cut short; then nobody was told. */
  reports<T>(): T[] {
    return this.#lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as T)
  }

  /** Waits until it has said so much, or has ended. */
  async untilReports(count: number): Promise<void> {
    while (this.#lines.length < count && this.#process.exitCode === null) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name)
  }

  /** Lets a program go on that waits for a line on its standard input. */
  go(): void {
    this.#process.stdin?.write('go\n')
  }

  /** Ends its standard input. */
  stop(): void {
    this.#process.stdin?.end()
  }

  /** What it said last if it had ended badly before it was killed. */
  async kill(): Promise<string | undefined> {
    this.#process.kill('SIGKILL')
    await this.#closed
    const { exitCode } = this.#process
    return exitCode === null || exitCode === 0 ? undefined : this.#lastWords(exitCode)
  }

  /** Waits for the end, which has to be a good one. */
  async finish(): Promise<void> {
    await this.#closed
    const { exitCode } = this.#process
    if (exitCode !== 0) throw new Error(this.#lastWords(exitCode))
  }

  #lastWords(exitCode: number | null): string {
    return `a program ended with ${exitCode}: ${this.#errors.slice(0, 2000)}`
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}
