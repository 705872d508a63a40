import type { Operation } from '../../../core/operation.ts'
import { nounOf, NOUNS } from '../../../nouns.generated.ts'
import { toLine } from '../../../support/text/visible-text.ts'
import { isShort, operationsNamed, readWords } from '../../command-words.ts'
import { type Candidate, entitiesFor, valuesOf } from './complete-values.ts'
import { SHELLS } from './completion-scripts.ts'
import { commandFlagsOf, type Flag } from '../input/flags.ts'
import { GLOBAL_FLAGS, OPTIONS_WITH_VALUE, PROCESS_COMMANDS } from '../../process-words.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { ALIASES_BY_WORDS, expandAlias } from '../../expand-alias.ts'
import { nounsFor, SHORTCUTS, verbFor, verbOf } from '../../words.ts'

/**
 * Prints what the last of `words` may become, one candidate in each line with its meaning behind a tab. Shells call it
 * on every key press, so it loads as little as possible, and prints nothing on errors.
 */
export async function complete(words: readonly string[], terminal: Terminal): Promise<number> {
  // Windows PowerShell cannot hand over an empty word.
  const begun = (words.at(-1) ?? '').replace(/^""$/, '')
  try {
    const candidates = await candidatesFor(words.slice(0, -1), begun, terminal)
    const lines = candidates
      .filter(({ word }) => word.startsWith(begun))
      .map(({ word, about }) => `${word}\t${toLine(about)}\n`)
    terminal.out(lines.join(''))
  } catch {
    // A shell that is told of a problem in the middle of a line shows it there.
  }
  return 0
}

async function candidatesFor(
  before: readonly string[],
  begun: string,
  terminal: Terminal,
): Promise<readonly Candidate[]> {
  if (OPTIONS_WITH_VALUE.has(before.at(-1) ?? '')) return []
  const { argv, alias, missing } = expandAlias(before)
  if (alias !== undefined && missing.length > 0)
    return missing[0] === '<id>' ? await entitiesFor('task', terminal) : []
  const { words, after } = readWords(argv)
  const [noun] = words
  if (noun === undefined) return begun.startsWith('-') ? globalFlags() : commands()
  if (noun === 'install') return await hosts()
  if (noun === 'completion') return SHELLS.map((word) => ({ word, about: '' }))
  const operations = await operationsNamed(noun, after)
  if (words.length === 1 && after === undefined && operations.length === 0) return verbsOf(noun)
  const named = operations.find(
    ({ name }) => isShort(noun) || verbOf(name) === verbFor(after ?? ''),
  )
  const isBegun = after !== undefined || begun.startsWith('-')
  const operation = named ?? (isBegun ? operations.find(isDefault) : undefined)
  if (operation === undefined) return [...operations.map(toVerb), ...verbsOf(noun)]
  const flags = commandFlagsOf(operation)
  const option = argv.at(-1) ?? ''
  const chosen = flags.find(({ name, kind }) => option === `--${name}` && kind !== 'boolean')
  if (chosen !== undefined) return await valuesOf(chosen, { operation, words }, terminal)
  if (begun.startsWith('-')) {
    const isOption = ({ required, path: [field = ''] }: Flag) =>
      !(required && operation.positional?.includes(field))
    return [...flags.filter(isOption).flatMap(toCandidates), ...globalFlags()]
  }
  const given = words.length - (named === undefined || isShort(noun) ? 1 : 2)
  const field = operation.positional?.[given]
  const flag = flags.find(({ path }) => path[0] === field)
  return flag === undefined ? [] : await valuesOf(flag, { operation, words }, terminal)
}

async function hosts(): Promise<readonly Candidate[]> {
  const { HOSTS } = await import('../../../install/hosts/hosts.ts')
  return HOSTS.map(({ name, title }) => ({ word: name, about: title }))
}

function commands(): readonly Candidate[] {
  return [
    ...Object.entries(SHORTCUTS).map(([word, name]) => ({
      word,
      about: `short for ${name.replace('.', ' ')}`,
    })),
    // Hidden: only completion scripts call it.
    ...[...PROCESS_COMMANDS]
      .filter((word) => word !== 'complete')
      .map((word) => ({ word, about: '' })),
    ...NOUNS.map(({ name: word, about }) => ({ word, about })),
    ...aliases(),
  ]
}

/** The first words of aliases, without those that are commands too. */
function aliases(): readonly Candidate[] {
  const firsts = [...ALIASES_BY_WORDS.values()].map(({ words: [word = ''] }) => word)
  return [...new Set(firsts)]
    .filter((word) => /^\w/.test(word) && !NOUNS.some(({ name }) => name === word))
    .map((word) => ({ word, about: sameAs(ALIASES_BY_WORDS.get(word)?.meaning) }))
}

function sameAs(meaning: string | undefined): string {
  return meaning === undefined ? '' : `same as ${meaning}`
}

/** The second words of aliases: `done` of `task done`. */
function verbsOf(noun: string): readonly Candidate[] {
  return [...ALIASES_BY_WORDS.values()]
    .filter(({ words }) => words.length > 1 && nounsFor(noun).includes(words[0] ?? ''))
    .map(({ words, meaning }) => ({ word: words[1] ?? '', about: sameAs(meaning) }))
}

function globalFlags(): readonly Candidate[] {
  return GLOBAL_FLAGS.map((word) => ({ word, about: '' }))
}

function isDefault({ name }: Operation): boolean {
  return nounOf(name).defaultVerb === verbOf(name)
}

function toVerb({ name, summary }: Operation): Candidate {
  return { word: verbOf(name).replaceAll('_', '-'), about: summary }
}

function toCandidates(flag: Flag): Candidate[] {
  const { name, description, isOnByDefault, hasOpposite, offText = '' } = flag
  const opposite = { word: `--no-${name}`, about: offText }
  if (isOnByDefault === true) return [opposite]
  return [{ word: `--${name}`, about: description }, ...(hasOpposite === true ? [opposite] : [])]
}
