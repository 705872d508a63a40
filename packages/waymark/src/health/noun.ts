import { defineNoun } from '../core/noun.ts'

export const health = defineNoun({
  name: 'health',
  about: 'What is known about the store, sync and leases without checking anything',
  example: '',
  areas: ['projects'],
  defaultVerb: 'show',
  hasNoPlural: true,
})
