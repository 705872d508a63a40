import { defineNoun } from '../core/noun.ts'

export const decision = defineNoun({
  name: 'decision',
  about: 'Which decision holds in whose place',
  example: 'supersede 3 7',
  areas: ['entities'],
})
