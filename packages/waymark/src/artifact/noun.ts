import { defineNoun } from '../core/noun.ts'

export const artifact = defineNoun({
  name: 'artifact',
  about: 'Files by their content, and what they were made from',
  areas: ['artifacts'],
  defaultVerb: 'list',
})
