import type { Noun } from '../core/noun.ts'
import { NOUNS } from '../nouns.generated.ts'
import type { OperationName } from '../registry.generated.ts'

/** Operations that are used so often that they have a command of one word. */
export const SHORTCUTS: Readonly<Record<string, OperationName>> = {
  add: 'entity.create',
  list: 'entity.list',
  get: 'entity.get',
  update: 'entity.update',
  delete: 'entity.delete',
  log: 'entity.history',
  restore: 'entity.restore',
  resolve: 'entity.resolve',
  purge: 'entity.purge',
  undo: 'history.undo',
  revert: 'history.revert',
  export: 'exchange.export',
  import: 'exchange.import',
  inbox: 'message.inbox',
  answer: 'message.answer',
}

/** The nouns that a word may stand for, the likeliest first: `msg`, `messages` and `message` are one. */
export function nounsFor(word: string): readonly string[] {
  const aliased = NOUNS.find(({ aliases = [] }) => aliases.includes(word))
  return aliased === undefined ? [word, singular(word), word.replace(/es$/, '')] : [aliased.name]
}

/** Shorter names of verbs. */
export const VERB_ALIASES: Readonly<Record<string, readonly string[]>> = {
  create: ['add'],
  collect: ['gc'],
}

/** The verb that a word stands for: `add` is `create`. */
export function verbFor(word: string): string {
  const full = Object.keys(VERB_ALIASES).find((verb) => VERB_ALIASES[verb]?.includes(word))
  return full ?? word.replaceAll('-', '_')
}

/** The verb of an operation: `create` of `entity.create`. */
export function verbOf(operation: string): string {
  return operation.slice(operation.indexOf('.') + 1)
}

/** Every way to write a noun on the command line. */
export function spellingsOf({ name, hasNoPlural, aliases = [] }: Noun): readonly string[] {
  return [name, ...(hasNoPlural === true ? [] : [plural(name)]), ...aliases]
}

export function isNounSpelling(word: string): boolean {
  return NOUNS.some((noun) => spellingsOf(noun).includes(word))
}

/** `--tag a --tag b` reads better than `--tags a --tags b`. */
export function singular(word: string): string {
  if (/(?:us|ss|x)es$/.test(word)) return word.slice(0, -2)
  return word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')
}

function plural(word: string): string {
  if (word.endsWith('y')) return `${word.slice(0, -1)}ies`
  return /(?:ch|sh|x|s)$/.test(word) ? `${word}es` : `${word}s`
}
