import { defineNoun } from '../core/noun.ts'

export const code = defineNoun({
  name: 'code',
  about: 'Why the code is so: annotations in git notes',
  areas: ['code'],
  defaultVerb: 'status',
  hasNoPlural: true,
})
