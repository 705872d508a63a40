import { defineNoun } from '../core/noun.ts'

export const artifact = defineNoun({
  name: 'artifact',
  about: 'Files by their content, and what they were made from',
  example: 'add build/report.html --tag report',
  areas: ['artifacts'],
  defaultVerb: 'list',
})
