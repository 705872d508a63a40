import { defineNoun } from '../core/noun.ts'

export const store = defineNoun({
  name: 'store',
  about: 'Check and move the database',
  example: 'check --repair',
  areas: ['projects'],
})
