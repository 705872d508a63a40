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
  agent: 'list',
  artifact: 'list',
  brief: 'show',
  cache: 'stats',
  code: 'status',
  entity: 'list',
  event: 'list',
  hook: 'status',
  message: 'list',
  project: 'status',
  prompt: 'list',
  search: 'query',
  snapshot: 'create',
  status: 'show',
  sync: 'run',
  task: 'list',
}

/** Nouns whose default is given words: `waymark search auth`, `waymark sync upstream`. */
export const TAKES_WORDS: ReadonlySet<string> = new Set(['brief', 'event', 'search', 'sync'])

/** What each noun is about, for people who see it for the first time. */
const NOUN_ABOUT: Readonly<Record<string, string>> = {
  agent: 'Who works on the project, and what they hold',
  artifact: 'Files by their content, and what they were made from',
  backup: 'Everything in one file, and back',
  brief: 'What an agent needs to know now',
  cache: 'The search index',
  code: 'Why the code is so: annotations in git notes',
  decision: 'Which decision holds in whose place',
  entity: 'Decisions, tasks, notes, prompts, components and links',
  event: 'What happened, in order',
  graph: 'How everything hangs together',
  history: 'Take back what somebody changed',
  hook: 'Git hooks that keep snapshots up to date',
  message: 'What agents tell each other',
  project: 'Figures, schema and state of the project',
  prompt: 'Texts with gaps to fill in',
  relation: 'Connections between two entities',
  search: 'Find anything by words, meaning or filters',
  snapshot: 'Everything as Markdown files',
  spec: 'Tasks as a spec.yaml for Lodestar',
  status: 'The project at a glance; what `waymark` alone shows',
  store: 'Check and move the database',
  sync: 'Exchange everything with other clones through Git',
  task: 'Plan, claim, finish and verify work',
}

export function aboutNoun(noun: string): string {
  return NOUN_ABOUT[noun] ?? `Commands for ${plural(noun)}`
}

/** Nouns that are used every day, listed with the commands of one word. */
export const EVERYDAY_NOUNS: ReadonlySet<string> = new Set([
  'status',
  'brief',
  'task',
  'search',
  'message',
  'sync',
])

/** Nouns that nobody speaks of in the plural. */
const COUNTLESS: ReadonlySet<string> = new Set(['code', 'history', 'status', 'sync'])

/** Shorter names of nouns. */
const NOUN_ALIASES: Readonly<Record<string, string>> = { msg: 'message' }

/** The nouns that a word may stand for, the likeliest first: `msg`, `messages` and `message` are one. */
export function nounsFor(word: string): readonly string[] {
  const full = Object.hasOwn(NOUN_ALIASES, word) ? NOUN_ALIASES[word] : undefined
  return full === undefined ? [word, singular(word), word.replace(/es$/, '')] : [full]
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

/** Every way to write a noun on the command line. */
export function spellingsOf(noun: string): readonly string[] {
  const aliases = Object.keys(NOUN_ALIASES).filter((alias) => NOUN_ALIASES[alias] === noun)
  return [noun, ...(COUNTLESS.has(noun) ? [] : [plural(noun)]), ...aliases]
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
