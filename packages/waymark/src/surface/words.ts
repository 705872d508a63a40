/** Operations that are used so often that they have a command of one word. */
export const SHORTCUTS: Readonly<Record<string, string>> = {
  add: 'entity.create',
  list: 'entity.list',
  get: 'entity.get',
  update: 'entity.update',
  delete: 'entity.delete',
  log: 'entity.history',
  restore: 'entity.restore',
  purge: 'entity.purge',
  undo: 'history.undo',
  export: 'backup.export',
  import: 'backup.import',
}

/** What a noun does when no verb is given: `waymark search auth`, `waymark snapshot`. */
export const DEFAULT_VERBS: Readonly<Record<string, string>> = {
  artifact: 'list',
  brief: 'show',
  event: 'list',
  search: 'query',
  snapshot: 'create',
  sync: 'run',
}

/** Shorter names of nouns. */
const NOUN_ALIASES: Readonly<Record<string, string>> = { msg: 'message' }

/** The noun that a word stands for: `msg`, `messages` and `message` are one. */
export function nounsFor(word: string): readonly string[] {
  const full = Object.hasOwn(NOUN_ALIASES, word) ? NOUN_ALIASES[word] : undefined
  return full === undefined ? [word, singular(word)] : [full]
}

/** Every way to write a noun on the command line. */
export function spellingsOf(noun: string): readonly string[] {
  const aliases = Object.keys(NOUN_ALIASES).filter((alias) => NOUN_ALIASES[alias] === noun)
  return [noun, plural(noun), ...aliases]
}

/** `--tag a --tag b` reads better than `--tags a --tags b`. */
export function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')
}

export function plural(word: string): string {
  return word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`
}
