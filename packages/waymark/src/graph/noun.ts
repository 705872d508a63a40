import { defineNoun } from '../core/noun.ts'

export const graph = defineNoun({
  name: 'graph',
  about: 'Explore relations',
  example: 'around 12 --depth 2',
  areas: ['entities'],
})
