import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../core/error.ts'
import { readSettingsFile } from '../support/files/settings-file.ts'
import type { GitCalls } from './repository.ts'

/** How annotations are kept and weighed in one repository. */
export interface AnnotationSettings {
  /** The notes ref that is written to. */
  readonly noteRef: string
  /** All notes refs that are read, the one that is written to among them. */
  readonly readRefs: readonly string[]
  /** Patterns of files that annotations are about; all files when empty. */
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly maxRegions: number
  readonly historyLimit: number
  /** Half-life of the recency weight, in days. */
  readonly halfLifeDays: number
  readonly correctionPenalty: number
  readonly confidenceFloor: number
}

const DEFAULT_NOTE_REF = 'refs/notes/waymark'
const ULTRAGIT_NOTE_REF = 'refs/notes/ultragit'

/** A component of a ref name: a subset of what git allows, without characters special to shells or git. */
const NAME = /^[\w+@%=-][\w.+@%=-]{0,200}$/
const CONFIG_FILE = '.ultragit-config.toml'

/** Refs chosen outside of the repository: `noteRef` overrides its settings, `fallbackRef` applies if it has none. */
export interface ChosenRefs {
  readonly noteRef?: string
  readonly fallbackRef?: string
}

/** Values by key in lower case, several for a key that is given several times. */
type Values = ReadonlyMap<string, readonly string[]>

/** The settings of one repository: `ultragit.*` of git's configuration, then the file in the tree, then the defaults. */
export class SettingsReader {
  readonly #git: GitCalls
  readonly #root: string
  #known: { readonly stamp: string; readonly values: Values } | undefined

  constructor(git: GitCalls, root: string) {
    this.#git = git
    this.#root = root
  }

  async read(chosen: ChosenRefs = {}): Promise<AnnotationSettings> {
    return toSettings(await this.#values(), chosen)
  }

  /** Cached until one of the files changes: a server reads the settings with each call. */
  async #values(): Promise<Values> {
    const file = await stampOf(join(this.#root, CONFIG_FILE))
    const stamp = `${this.#git.config().stamp} ${file}`
    if (this.#known?.stamp === stamp) return this.#known.values
    const [fromFile, fromGit] = await Promise.all([
      readFromFile(this.#root),
      readFromGit(this.#git),
    ])
    const values = new Map([...fromFile, ...fromGit])
    this.#known = { stamp, values }
    return values
  }
}

function toSettings(
  values: Values,
  { noteRef: given, fallbackRef }: ChosenRefs,
): AnnotationSettings {
  const text = (key: string) => values.get(key)?.at(-1)
  const named = given ?? text('noteref')
  const noteRef = toNotesRef(named ?? fallbackRef ?? DEFAULT_NOTE_REF)
  return {
    noteRef,
    // A named ref is read alone. Otherwise the refs of Waymark and of ultragit are read together.
    readRefs: named === undefined ? [DEFAULT_NOTE_REF, ULTRAGIT_NOTE_REF] : [noteRef],
    include: values.get('include') ?? [],
    exclude: values.get('exclude') ?? [],
    maxRegions: toNumber(text('defaultmaxregions'), 20),
    historyLimit: toNumber(text('historydefaultlimit'), 10),
    halfLifeDays: toNumber(text('recencyhalflife'), 180),
    correctionPenalty: toNumber(text('corrections.confidencepenalty'), 0.15),
    confidenceFloor: toNumber(text('corrections.confidencefloor'), 0.1),
  }
}

/** `x` means refs/notes/x, as it does for git. Settings come with the repository, so nothing else may be named. */
export function toNotesRef(name: string): string {
  const ref = name.startsWith('refs/') ? name : `refs/notes/${name.replace(/^notes\//, '')}`
  const [top, kind, ...names] = ref.split('/')
  const isPlain = names.every((part) => NAME.test(part) && !/\.\.|\.lock$|\.$/.test(part))
  if (top === 'refs' && kind === 'notes' && names.length > 0 && isPlain) return ref
  throw new Failure(
    'invalid_input',
    `noteref: ${JSON.stringify(name.slice(0, 100))} is no notes ref`,
    {
      details: { field: 'noteref', rule: 'bad_format', value: name.slice(0, 100) },
    },
  )
}

/** The user's own settings, then the repository's, which are not passed on to git. */
async function readFromGit(git: GitCalls): Promise<Values> {
  const values = new Map<string, string[]>()
  for (const { key, value } of [...(await git.userSettings()), ...git.config().settings]) {
    const name = /^ultragit\.(.*)$/s.exec(key.toLowerCase())?.[1]
    if (name === undefined) continue
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  return values
}

/** Parsing TOML of this size takes 50 ms at most. */
const LARGEST_CONFIG = 64 * 1024

async function readFromFile(root: string): Promise<Values> {
  const text = readSettingsFile(root, CONFIG_FILE)
  if (text === undefined) return new Map()
  if (text.length > LARGEST_CONFIG)
    throw new Failure(
      'invalid_input',
      `${CONFIG_FILE} must have at most ${LARGEST_CONFIG} characters`,
    )
  const { parse } = await import('smol-toml')
  try {
    return new Map(flatten(parse(text), ''))
  } catch {
    // The parser's error quotes the file, whose text belongs in no message or log.
    throw new Failure('invalid_input', `${CONFIG_FILE} is not valid TOML`)
  }
}

/** Tables become dotted keys; a table named after the program may stand around everything. */
function flatten(table: object, prefix: string): readonly (readonly [string, string[]])[] {
  return Object.entries(table).flatMap(([key, value]: [string, unknown]) => {
    const name = `${prefix}${key.toLowerCase().replaceAll('_', '')}`
    if (Array.isArray(value)) return [[name, value.map(String)] as const]
    if (typeof value === 'object' && value !== null)
      return flatten(value, name === 'ultragit' ? '' : `${name}.`)
    return [[name, [String(value)]] as const]
  })
}

async function stampOf(file: string): Promise<string> {
  const stats = await stat(file, { bigint: true }).catch(() => undefined)
  return stats === undefined ? 'absent' : `${stats.mtimeNs}:${stats.size}`
}

function toNumber(text: string | undefined, fallback: number): number {
  const number = Number(text)
  return text === undefined || !Number.isFinite(number) || number < 0 ? fallback : number
}
