import { Command, type ErrorOptions } from 'commander'
import { distanceBetween } from '../../../search/text/spelling.ts'
import { ALIASES_BY_WORDS, aliasesOf } from '../../expand-alias.ts'
import { singular } from '../../words.ts'

/** Commands that lose something, so they are only suggested for a word that cannot mean another. */
const DESTRUCTIVE: ReadonlySet<string> = new Set([
  'delete',
  'purge',
  'rm',
  'remove',
  'forget',
  'undo',
])

const MOST_SUGGESTIONS = 3

/** A command that names close ones where a word or an option is unknown. */
export class SuggestingCommand extends Command {
  override createCommand(name?: string): Command {
    return new SuggestingCommand(name)
  }

  override error(message: string, options?: ErrorOptions): never {
    const word = message.endsWith("'") ? message.slice(message.indexOf("'") + 1, -1) : ''
    return super.error(`${message}${toSentence(meantBy(this, word, options?.code))}`, options)
  }
}

function meantBy(command: Command, word: string, code: string | undefined): readonly string[] {
  if (code === 'commander.unknownOption') return closest(word, optionsOf(command))
  if (code !== 'commander.unknownCommand') return []
  const longer = command.parent === null ? aliasesBehind(word) : []
  if (longer.length > 0) return longer
  const verbs = verbsOfNouns(command, word)
  if (verbs.length > 0) return verbs
  const commands = closest(word, commandsIn(command))
  return commands.length > 0 ? commands : closest(word, aliasesIn(command))
}

/** `note add` and others, where `note` alone is no command; one for each meaning. */
function aliasesBehind(word: string): readonly string[] {
  const rows = aliasesOf(word).filter(({ words }) => words.length > 1)
  const byMeaning = new Map(
    rows.toReversed().map(({ words, meaning }) => [meaning, words.join(' ')]),
  )
  return [...byMeaning.values()].toReversed()
}

/** `task defer` for `defer`: the commands of nouns that have this very verb. */
function verbsOfNouns({ commands }: Command, word: string): readonly string[] {
  if (DESTRUCTIVE.has(word)) return []
  return commands
    .filter((noun) => noun.commands.some((verb) => verb.name() === word))
    .map((noun) => `${noun.name()} ${word}`)
}

/** The words that a misspelt one may have meant: begun by it, or a few typing errors away. */
function closest(typed: string, known: Iterable<string>): readonly string[] {
  const words = [...new Set(known)]
  const begun = words.filter((word) => letters(typed).length >= 3 && word.startsWith(typed))
  if (begun.length > 0) return begun.slice(0, MOST_SUGGESTIONS)
  const near = words
    .map((word) => ({ word, distance: distanceBetween(typed, word, allowedIn(typed, word)) }))
    .filter(({ distance }) => distance < Infinity)
  const least = Math.min(...near.map(({ distance }) => distance))
  return near
    .filter(({ distance }) => distance === least)
    .slice(0, MOST_SUGGESTIONS)
    .map(({ word }) => word)
}

/** How many errors a word may have: one in short ones, at most a third of its letters. */
function allowedIn(typed: string, word: string): number {
  const { length } = letters(typed)
  const most = length < 3 ? 0 : Math.min(3, Math.max(1, Math.floor(length / 3)))
  return DESTRUCTIVE.has(word) ? Math.min(most, 1) : most
}

function letters(word: string): string {
  return word.replace(/^--(?:no-)?/, '')
}

function toSentence(words: readonly string[]): string {
  if (words.length === 0) return ''
  return `\n(Did you mean ${words.length === 1 ? '' : 'one of '}${words.join(', ')}?)`
}

function commandsIn(command: Command): readonly string[] {
  const shown = command.createHelp().visibleCommands(command)
  return shown.flatMap((each) => {
    const isOther = (alias: string) => singular(alias) !== each.name()
    return [each.name(), ...each.aliases().filter(isOther)]
  })
}

function aliasesIn(command: Command): readonly string[] {
  const path = command.parent === null ? [] : [command.name()]
  return [...ALIASES_BY_WORDS.values()]
    .filter(({ words }) => path.every((word, at) => words[at] === word))
    .flatMap(({ words }) => words[path.length] ?? [])
}

/** Those of the commands above it are options of every command. */
function optionsOf(command: Command): readonly string[] {
  const own = command.createHelp().visibleOptions(command)
  const above = command.parent === null ? [] : optionsOf(command.parent)
  return [...own.flatMap(({ long }) => long ?? []), ...above]
}
