import { type Command, Option } from 'commander'
import type { Flag } from './input/flags.ts'

const LETTERS: Readonly<Record<string, string>> = {
  tag: 't',
  relation: 'r',
  limit: 'n',
  output: 'o',
  force: 'f',
}

/** The options of a flag: two where it can be switched on and off. */
export function toOptions(flag: Flag, other?: string): readonly Option[] {
  const option = toOption(flag, other)
  if (flag.hasOpposite !== true) return [option]
  return [option, new Option(`--no-${flag.name}`, flag.offText)]
}

/** Names of other tools, and those that the same thing has elsewhere here. */
const OTHER_SPELLINGS: Readonly<Record<string, string>> = {
  'due-date': 'due',
  'defer-until': 'defer',
  label: 'tag',
  'add-label': 'add-tag',
  'remove-label': 'remove-tag',
  tag: 'label',
  'add-tag': 'add-label',
  'remove-tag': 'remove-label',
}

export function otherSpelling({ name }: Flag, flags: readonly Flag[]): string | undefined {
  const other = OTHER_SPELLINGS[name]
  return flags.some((flag) => flag.name === other) ? undefined : other
}

/** One option, for the name that the flag has. */
export function toOption(flag: Flag, other?: string): Option {
  const letter = LETTERS[flag.name]
  const short = letter === undefined ? '' : `-${letter}, `
  const value = flag.kind === 'boolean' ? '' : ` <${flag.time ?? VALUE_NAMES[flag.kind]}>`
  const name = flag.isOnByDefault === true ? `no-${flag.name}` : flag.name
  const option = new Option(`${short}--${name}${value}`, describeFlag(flag, other))
  if (flag.repeatable)
    option.argParser((next: string, before?: readonly string[]) => [...(before ?? []), next])
  return option
}

const VALUE_NAMES = {
  text: 'text',
  number: 'number',
  number_or_text: 'text',
  pair: 'name=value',
  json: 'json',
} as const

const TIME_EXAMPLES = {
  date: 'in words: tomorrow, friday, in 3 days',
  time: 'in words: 2h ago, yesterday, tomorrow 9:00',
} as const

/** The line of a flag in the help. */
export function describeFlag(flag: Flag, other?: string): string {
  const { description, choices, repeatable, defaultText, isOnByDefault, offText, time } = flag
  if (isOnByDefault === true) return offText ?? ''
  const remarks = [
    choices?.join(', '),
    time && TIME_EXAMPLES[time],
    other && `also --${other}`,
    defaultText && `default: ${defaultText}`,
    repeatable ? 'repeatable' : undefined,
  ].flatMap((remark) => (remark === undefined ? [] : ` (${remark})`))
  return `${description}${remarks.join('')}`
}

/** Moves the value of another spelling to the flag itself. */
export function useOwnName(
  command: Command,
  given: Record<string, unknown>,
  { name, repeatable }: Flag,
): void {
  const other = OTHER_SPELLINGS[name] ?? ''
  const [value, more] = [given[name], given[other]]
  if (more === undefined) return
  if (value !== undefined && !repeatable)
    command.error(`error: '${name}' is given twice, as --${name} and as --${other}`)
  given[name] = repeatable ? [value ?? [], more].flat() : more
  delete given[other]
}
