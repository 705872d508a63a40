import { defineNoun } from '../core/noun.ts'

export const hook = defineNoun({
  name: 'hook',
  about: 'Git hooks that keep snapshots up to date',
  example: 'install',
  areas: ['projects'],
  defaultVerb: 'status',
})
