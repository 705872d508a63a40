import { defineNoun } from '../core/noun.ts'

export const decision = defineNoun({
  name: 'decision',
  about: 'Supersede decisions',
  example: 'supersede 3 7',
  areas: ['entities'],
})
