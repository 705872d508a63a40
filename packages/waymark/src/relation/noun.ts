import { defineNoun } from '../core/noun.ts'

export const relation = defineNoun({
  name: 'relation',
  about: 'Connections between two entities',
  example: 'create 12 3 --type implements',
  areas: ['entities'],
})
