import { Failure } from '../error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** How a value is read. */
export interface Kind<T> {
  /** Turns the text of a variable or flag into the JSON that the project file would hold; as it is when absent. */
  readonly fromText?: (text: string) => unknown
  /** The value, or undefined when it is not valid. */
  readonly parse: (given: unknown) => T | undefined
  /** Completes the error, such as `must be a whole number above 0`. */
  readonly expects: string
  /** All values, where there are few. */
  readonly valid?: readonly T[]
  /** The value may hold a credential and is never shown. */
  readonly isPrivate?: boolean
}

/** One row of the table of settings. */
export interface Setting<T> extends Kind<T> {
  /** The first variable that is set and not empty wins. */
  readonly env: readonly string[]
  /** Spelt for the command line: `--port <number>`. */
  readonly flag?: string
  /** Variables and flags that are in seconds, where the setting is in milliseconds. */
  readonly inSeconds?: readonly string[]
  readonly default?: T
  /** How far a project may set it; absent where a project file has no such key. */
  readonly project?: ProjectRule
  /** One sentence for the reference. */
  readonly about: string
  /** The line in `--help`, without the default; `about` when absent. */
  readonly help?: string
}

/** How far a project may set something. Its file comes with a clone and is in force before its user has read it. */
export type ProjectRule =
  | { readonly kind: 'any' }
  | { readonly kind: 'range'; readonly least: number; readonly most: number }
  | { readonly kind: 'fingerprints' }
  | { readonly kind: 'never'; readonly reason: string; readonly instead: readonly string[] }

export interface Sources {
  readonly flag?: unknown
  readonly env: Environment
  /** From the project's file. */
  readonly file?: unknown
}

interface Source {
  /** The flag or the variable; undefined for the file. */
  readonly name: string | undefined
  readonly given: unknown
}

/** The value of the first source that has one: flag, variable, file, default. */
export function readValue<T>(name: string, setting: Setting<T>, sources: Sources): T | undefined {
  const source = findSource(setting, sources)
  if (source === undefined) return setting.default
  const value = setting.parse(toJson(setting, source))
  if (value === undefined) throw invalid(name, setting, source)
  return value
}

/** `--port` of `--port <number>`. */
export function flagName({ flag }: Pick<Setting<unknown>, 'flag'>): string | undefined {
  return flag?.split(' ')[0]
}

/** Which flag or variable sets it, or the project's file; undefined where its default is in force. */
export function sourceOf(setting: Setting<unknown>, sources: Sources): string | undefined {
  const source = findSource(setting, sources)
  return source && (source.name ?? '.waymark/config.json')
}

function findSource<T>(setting: Setting<T>, { flag, env, file }: Sources): Source | undefined {
  if (flag !== undefined) return { name: flagName(setting), given: flag }
  const variable = setting.env.find((name) => env[name] !== undefined && env[name] !== '')
  if (variable !== undefined) return { name: variable, given: env[variable] }
  return file === undefined ? undefined : { name: undefined, given: file }
}

function toJson<T>({ fromText, inSeconds = [] }: Setting<T>, { name, given }: Source): unknown {
  if (name === undefined || typeof given !== 'string') return given
  if (inSeconds.includes(name)) return given.trim() === '' ? '' : Math.ceil(Number(given) * 1000)
  return fromText === undefined ? given : fromText(given)
}

/** Names the flag that was typed, or the setting and the variable that sets it. */
function invalid<T>(name: string, setting: Setting<T>, { name: from, given }: Source): Failure {
  const { env, project, valid, inSeconds, isPrivate = false } = setting
  const flag = flagName(setting)
  const isFlag = from !== undefined && from === flag
  const field = project !== undefined && !isFlag ? name : (flag?.slice(2) ?? env[0] ?? name)
  const value = isPrivate ? undefined : String(given).slice(0, 100)
  const said = value === undefined ? '' : ` is ${JSON.stringify(value)}`
  const place = isFlag || from === undefined || from === field ? '' : ` (${from}${said})`
  const expects = isFlag && inSeconds !== undefined ? 'must be a number above 0' : setting.expects
  return new Failure('invalid_input', `${isFlag ? flag : field}: ${expects}${place}`, {
    details: {
      field,
      ...(value !== undefined && { value }),
      ...(valid !== undefined && { valid }),
      ...(from !== undefined && !isFlag && { variable: from }),
    },
  })
}
