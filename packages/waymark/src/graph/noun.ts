import { defineNoun } from '../core/noun.ts'

export const graph = defineNoun({
  name: 'graph',
  about: 'How everything hangs together',
  areas: ['entities'],
})
