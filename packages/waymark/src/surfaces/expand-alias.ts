import { violation } from '../core/input/parse.ts'
import { ALIASES } from './aliases.ts'
import { isCommand, isShort, placesOf, wantsHelp } from './command-words.ts'
import { OPTIONS_WITH_VALUE } from './process-words.ts'
import { NOUNS } from '../nouns.generated.ts'
import { isNounSpelling, nounsFor } from './words.ts'

/** A row of the table, taken apart. */
export interface Alias {
  readonly words: readonly string[]
  /** The arguments that are moved, such as `<id>`. */
  readonly fields: readonly string[]
  readonly target: readonly string[]
  readonly usage: string
  readonly meaning: string
  /** The word is a command too, which takes an argument; the alias is the word alone. */
  readonly isOwn: boolean
}

/** The rows by their words. */
export const ALIASES_BY_WORDS: ReadonlyMap<string, Alias> = new Map(
  Object.entries(ALIASES).map(([usage, meaning]) => {
    const parts = usage.split(' ')
    const words = parts.filter((part) => !isField(part))
    const fields = parts.filter(isField)
    const isOwn = parts.length === 1 && isShort(usage)
    return [words.join(' '), { words, fields, target: meaning.split(' '), usage, meaning, isOwn }]
  }),
)

/** The rows that begin with this word. */
export function aliasesOf(word: string): readonly Alias[] {
  return [...ALIASES_BY_WORDS.values()].filter(({ words }) => words[0] === word)
}

interface Expanded {
  /** With the command instead of the alias. */
  readonly argv: readonly string[]
  /** The alias that was used. */
  readonly alias?: Alias
  /** Fields of the alias that were not given; then `argv` lacks the options they belong to. */
  readonly missing: readonly string[]
}

/** Replaces an alias by the command that it stands for. */
export function expandAlias(argv: readonly string[]): Expanded {
  const [first = argv.indexOf('-v')] = placesOf(argv)
  const alias = first === -1 ? undefined : findAlias(argv, first)
  if (alias === undefined) return { argv, missing: [] }
  const { words, fields, target } = alias
  const [before, args] = [argv.slice(0, first), argv.slice(first + words.length)]
  // A noun of that name has help of its own.
  const hasHelp = alias.isOwn || (words.length === 1 && fields.length === 0 && isNoun(words[0]))
  if (hasHelp && wantsHelp(argv)) return { argv, alias, missing: [] }
  if (fields.length === 0) return { argv: [...before, ...target, ...args], alias, missing: [] }
  const { values, options, others } = takeValues(args, fields.length)
  const missing = fields.slice(values.length)
  // Then the words may have a meaning of their own, as those of `task edit` and `history` do.
  const [word = '', after] = words
  const isOwn = isCommand(word, after) || (after === undefined && isNounSpelling(word))
  if (missing.length > 0 && isOwn) return { argv, missing: [] }
  if (missing.length > 0) {
    const command = target.filter((part) => !part.includes('<'))
    return { argv: [...before, ...command, ...options], alias, missing }
  }
  const fill = (part: string): string =>
    part.replace(/<\w+>$/, (field) => values[fields.indexOf(field)] ?? '')
  const command = target.filter((part) => !isField(part)).map(fill)
  const positional = [...target.filter(isField).map(fill), ...others]
  const end = positional.some((value) => value.startsWith('-')) ? ['--'] : []
  return { argv: [...before, ...command, ...options, ...end, ...positional], alias, missing }
}

function isNoun(word: string | undefined): boolean {
  return NOUNS.some(({ name }) => name === word)
}

/** Refuses an alias whose own arguments are missing, unless its help is wanted. */
export function requireFields({ alias, missing, argv }: Expanded): void {
  if (alias === undefined || missing.length === 0 || wantsHelp(argv)) return
  const field = missing[0]?.slice(1, -1) ?? ''
  throw violation(field, 'required', `is missing; usage: waymark ${alias.usage}`)
}

/** Real commands win, unless the table names both of their words. */
function findAlias(argv: readonly string[], first: number): Alias | undefined {
  const [word = '', after = ''] = argv.slice(first)
  for (const spelling of [word, ...nounsFor(word)]) {
    const named = ALIASES_BY_WORDS.get(`${spelling} ${after}`)
    if (named !== undefined) return named
  }
  const alias = ALIASES_BY_WORDS.get(word)
  if (alias?.isOwn === true) return namesSomething(argv.slice(first + 1)) ? undefined : alias
  if (alias === undefined || isCommand(word, after)) return undefined
  // `decisions` lists them, but a word behind it is a verb.
  const isVerb = alias.fields.length === 0 && isNounSpelling(word) && /^[^-]/.test(after)
  return isVerb ? undefined : alias
}

/** Options of `log` that are followed by a value. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  ...OPTIONS_WITH_VALUE,
  '-n',
  '--limit',
  '--since',
  '--since-time',
  '--type',
])

/** Whether there is a word that is not the value of an option, or an option that only makes sense with one. */
function namesSomething(args: readonly string[]): boolean {
  return args.some(
    (arg, at) =>
      /^--(?:id|input|full|before)\b/.test(arg) ||
      (!arg.startsWith('-') && !WITH_VALUE.has(args[at - 1] ?? '')),
  )
}

interface Taken {
  readonly values: readonly string[]
  /** Everything else, but not what follows `--`. */
  readonly options: readonly string[]
  readonly others: readonly string[]
}

/** The first words of `args`, up to `count`. An option that is not global ends them: its value may be the next word. */
function takeValues(args: readonly string[], count: number): Taken {
  const values: string[] = []
  const options: string[] = []
  let at = 0
  for (; at < args.length && values.length < count; at += 1) {
    const arg = args[at] ?? ''
    if (arg === '--') {
      const words = args.slice(at + 1)
      const wanted = count - values.length
      return {
        values: [...values, ...words.slice(0, wanted)],
        options,
        others: words.slice(wanted),
      }
    }
    if (!arg.startsWith('-')) values.push(arg)
    else if (OPTIONS_WITH_VALUE.has(arg)) options.push(arg, args[(at += 1)] ?? '')
    else if (SWITCHES.has(arg) || arg.includes('=')) options.push(arg)
    else break
  }
  return { values, options: [...options, ...args.slice(at)], others: [] }
}

const SWITCHES: ReadonlySet<string> = new Set(['--json', '--allow-secret', '--help', '-h'])

function isField(part: string): boolean {
  return part.startsWith('<')
}
