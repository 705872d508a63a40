import { defineNoun } from '../core/noun.ts'

export const relation = defineNoun({
  name: 'relation',
  about: 'Connections between two entities',
  areas: ['entities'],
})
