import { defineNoun } from '../core/noun.ts'

export const insight = defineNoun({
  name: 'insight',
  about: 'How work flows: throughput, lead time, waiting, what unblocks most',
  example: '--days 7',
  areas: ['tasks', 'messages'],
  defaultVerb: 'show',
  hasNoPlural: true,
})
