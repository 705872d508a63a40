import { count } from '../plural.ts'

/** Words of the search. */
export const searchWords = {
  placeholder: 'Words, or a question',
  results: (n: number) => count(n, 'result', 'results'),
  atLeast: (n: number) => `at least ${n} results`,
  none: 'Nothing found. Try fewer words.',
  start: 'Search tasks, decisions, notes, messages, code reasons and artifacts.',
  corrected: 'Spelling was corrected.',
  more: 'More results',
  kinds: {
    all: 'all',
    entity: 'knowledge',
    message: 'messages',
    annotation: 'code',
    artifact: 'artifacts',
  },
} as const
