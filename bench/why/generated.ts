import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { initialiseProject } from '../../packages/waymark/src/core/project/project.ts'
import { createRandom, git } from './scratch.ts'

/** A function that keeps its identity through everything that is done to it. */
interface Made {
  readonly id: number
  /** The functions that its lines were taken out of. */
  readonly from: readonly number[]
  name: string
  path: string
  lines: string[]
}

/** A commit that wrote a function, as it was called then. */
export interface Touch {
  readonly commit: string
  readonly id: number
  readonly file: string
  readonly name: string
}

export interface GeneratedHistory {
  readonly directory: string
  readonly touches: readonly Touch[]
  /** Today's functions with their identities. */
  readonly functions: readonly {
    readonly id: number
    readonly from: readonly number[]
    readonly file: string
    readonly name: string
  }[]
  readonly steps: Readonly<Record<string, number>>
}

const LANGUAGES = {
  ts: {
    head: (name: string) => `export function ${name}(input: Input): Output {`,
    tail: '}',
    line: (word: string, at: number) => `  const ${word}${at} = input.${word}.at(${at})`,
    common: ['  if (input === undefined) throw new Error("no input")', '  return result'],
  },
  py: {
    head: (name: string) => `def ${name}(input):`,
    tail: '',
    line: (word: string, at: number) => `    ${word}_${at} = input.${word}[${at}]`,
    common: ['    if input is None: raise ValueError("no input")', '    return result'],
  },
  go: {
    head: (name: string) => `func ${name}(input Input) Output {`,
    tail: '}',
    line: (word: string, at: number) => `\t${word}${at} := input.${word}(${at})`,
    common: ['\tif input == nil { panic("no input") }', '\treturn result'],
  },
  js: {
    head: (name: string) => `export async function ${name}(input) {`,
    tail: '}',
    line: (word: string, at: number) => `  const ${word}${at} = await input.${word}(${at})`,
    common: ['  if (input === undefined) throw new Error("no input")', '  return result'],
  },
  rs: {
    head: (name: string) => `pub fn ${name}(input: &Input) -> Output {`,
    tail: '}',
    line: (word: string, at: number) => `    let ${word}_${at} = input.${word}(${at})?;`,
    common: ['    if input.is_empty() { panic!("no input") }', '    result'],
  },
  c: {
    head: (name: string) => `static int ${name}(struct input *input) {`,
    tail: '}',
    line: (word: string, at: number) => `  int ${word}_${at} = input->${word}[${at}];`,
    common: ['  if (input == NULL) abort();', '  return result;'],
  },
  java: {
    head: (name: string) => `  public Output ${name}(Input input) {`,
    tail: '  }',
    line: (word: string, at: number) => `    int ${word}${at} = input.${word}(${at});`,
    common: ['    if (input == null) throw new IllegalStateException();', '    return result;'],
  },
} as const

/** What stands above and below the functions of a file. */
const AROUND: Readonly<Record<string, readonly [above: string, below: string]>> = {
  go: ['package main\n\n', ''],
  java: ['class Steps {\n\n', '}\n'],
}

const STEPS = [
  'edit',
  'edit',
  'edit',
  'rename',
  'move',
  'delete',
  'add',
  'split',
  'reformat',
  'extract',
  'copy',
  'swap',
  'rewrite',
  'rename file',
] as const

/** Steps after which there are more files, or other ones. */
const OF_FILES: ReadonlySet<string> = new Set(['split', 'rename file'])

/** A repository in which functions are edited, renamed, moved, deleted and reformatted, and files are split. */
export async function generate(
  parent: string,
  {
    language,
    commits,
    seed,
    name = `generated-${language}`,
    isOneFile = false,
  }: {
    readonly language: keyof typeof LANGUAGES
    readonly commits: number
    readonly seed: number
    readonly name?: string
    readonly isOneFile?: boolean
  },
): Promise<GeneratedHistory> {
  const directory = join(parent, name)
  mkdirSync(directory)
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', directory])
  const story = new Story(language, createRandom(seed), isOneFile)
  const stream: string[] = []
  const touched: Omit<Touch, 'commit'>[][] = []
  for (let at = 0; at < commits; at += 1) {
    const { files, touches } = story.next(at)
    touched.push(touches)
    stream.push(toCommit(at, files))
  }
  execFileSync('git', ['-C', directory, 'fast-import', '--quiet'], { input: stream.join('') })
  execFileSync('git', ['-C', directory, 'reset', '--quiet', '--hard', 'main'])
  await initialiseProject(directory)
  const ids = git(directory, 'rev-list', '--reverse', 'HEAD').trim().split('\n')
  return {
    directory,
    touches: touched.flatMap((own, at) => own.map((one) => ({ ...one, commit: ids[at] ?? '' }))),
    functions: story.functions.map(({ id, from, path, name }) => ({ id, from, file: path, name })),
    steps: story.steps,
  }
}

/** Where a new function is, and what it begins with. */
interface Given {
  readonly path: string
  readonly body: readonly string[]
  /** The function that these lines were taken out of. */
  readonly taken?: Made
}

/** `undefined` deletes a file. */
type Files = ReadonlyMap<string, string | undefined>

function toCommit(at: number, files: Files): string {
  const message = `Step ${at}`
  const changes = [...files].map(([path, text]) =>
    text === undefined
      ? `D ${path}\n`
      : `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
  )
  return `commit refs/heads/main\ncommitter B <b@example.com> ${1_700_000_000 + at * 600} +0000\ndata ${message.length}\n${message}\n${changes.join('')}`
}

class Story {
  functions: Made[] = []
  readonly steps: Record<string, number> = {}
  readonly #language: (typeof LANGUAGES)[keyof typeof LANGUAGES]
  readonly #extension: string
  readonly #random: () => number
  readonly #isOneFile: boolean
  #made = 0
  #files = 0
  #indent = ''

  constructor(language: keyof typeof LANGUAGES, random: () => number, isOneFile: boolean) {
    this.#isOneFile = isOneFile
    this.#language = LANGUAGES[language]
    this.#extension = language
    this.#random = random
  }

  next(at: number): { readonly files: Files; readonly touches: Omit<Touch, 'commit'>[] } {
    const before = new Set(this.functions.map(({ path }) => path))
    const picked = this.functions.length < 24 ? 'add' : this.#pick(STEPS)
    const step = this.#isOneFile && OF_FILES.has(picked) ? 'add' : picked
    this.steps[step] = (this.steps[step] ?? 0) + 1
    const { changed, touched } = this.#do(step, at)
    const paths = new Set([...changed, ...before])
    const files = new Map([...paths].map((path) => [path, this.#text(path)] as const))
    const touches = touched.map(({ id, path, name }) => ({ id, file: path, name }))
    return { files, touches }
  }

  #do(step: string, at: number): { changed: readonly string[]; touched: readonly Made[] } {
    if (step === 'add') {
      const made = this.#add()
      return { changed: [made.path], touched: [made] }
    }
    const one = this.#pick(this.functions)
    switch (step) {
      case 'edit': {
        const line = 1 + Math.floor(this.#random() * (one.lines.length - 2))
        one.lines.splice(line, this.#random() < 0.5 ? 1 : 0, this.#line(`edit${at}x`, line))
        return { changed: [one.path], touched: [one] }
      }
      case 'rename': {
        one.name = `${one.name.replace(/Again\d+$/, '')}Again${at}`
        one.lines[0] = this.#language.head(one.name)
        return { changed: [one.path], touched: [one] }
      }
      case 'move': {
        const from = one.path
        one.path = this.#pick(this.functions).path
        this.functions = [...this.functions.filter((each) => each !== one), one]
        return { changed: [from, one.path], touched: [] }
      }
      case 'split': {
        const from = one.path
        const own = this.functions.filter(({ path }) => path === from)
        const path = this.#newFile()
        for (const each of own.slice(Math.ceil(own.length / 2))) each.path = path
        return { changed: [from, path], touched: [] }
      }
      case 'extract': {
        const [from, to] = [2, Math.max(3, Math.floor(one.lines.length / 2))]
        const made = this.#add({ path: one.path, body: one.lines.slice(from, to), taken: one })
        one.lines.splice(from, to - from, this.#line(`call${made.id}x`, at))
        return { changed: [one.path], touched: [one, made] }
      }
      case 'copy': {
        const made = this.#add({ path: one.path, body: one.lines.slice(2, -2) })
        return { changed: [one.path], touched: [made] }
      }
      case 'swap': {
        const other = this.#pick(this.functions.filter(({ path }) => path === one.path))
        const [first, second] = [this.functions.indexOf(one), this.functions.indexOf(other)]
        this.functions = this.functions.with(first, other).with(second, one)
        return { changed: [one.path], touched: [] }
      }
      case 'rewrite': {
        const body = one.lines.slice(2, -2).map((_, line) => this.#line(`again${at}x`, line))
        one.lines.splice(2, body.length, ...body)
        return { changed: [one.path], touched: [one] }
      }
      case 'rename file': {
        const from = one.path
        const path = this.#newFile()
        for (const each of this.functions) if (each.path === from) each.path = path
        return { changed: [from, path], touched: [] }
      }
      case 'delete': {
        this.functions = this.functions.filter((each) => each !== one)
        return { changed: [one.path], touched: [] }
      }
      default: {
        this.#indent = this.#indent === '' ? ' ' : ''
        return { changed: this.functions.map(({ path }) => path), touched: [] }
      }
    }
  }

  #add(given?: Given): Made {
    this.#made += 1
    const known = given?.path ?? this.functions.at(-1)?.path
    const isNew = !this.#isOneFile && given === undefined && this.#random() < 0.2
    const path = known === undefined || isNew ? this.#newFile() : known
    const name = `handle${this.#made}`
    const length = 4 + Math.floor(this.#random() * 10)
    const fresh = Array.from({ length }, (_, at) => this.#line(`word${this.#made}x`, at))
    const body = given?.body ?? fresh
    const [first, last] = this.#language.common
    const lines = [this.#language.head(name), first, ...body, last, this.#language.tail]
    const taken = given?.taken
    const from = taken === undefined ? [] : [taken.id, ...taken.from]
    const made: Made = { id: this.#made, from, name, path, lines }
    this.functions.push(made)
    return made
  }

  #line(word: string, at: number): string {
    return this.#language.line(word, at)
  }

  #newFile(): string {
    this.#files += 1
    return `src/file${this.#files}.${this.#extension}`
  }

  #text(path: string): string | undefined {
    const own = this.functions.filter((each) => each.path === path)
    if (own.length === 0) return undefined
    const lines = own.flatMap(({ lines }) => [
      ...lines.map((line) => line.replace(/^(\s+)/, `$1${this.#indent}`)),
      '',
    ])
    const [above, below] = AROUND[this.#extension] ?? ['', '']
    return `${above}${lines.join('\n')}\n${below}`
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#random() * items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }
}
