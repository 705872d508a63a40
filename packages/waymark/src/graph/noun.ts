import { defineNoun } from '../core/noun.ts'

export const graph = defineNoun({
  name: 'graph',
  about: 'Explore relations',
  areas: ['entities'],
})
