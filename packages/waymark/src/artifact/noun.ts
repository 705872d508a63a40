import { defineNoun } from '../core/noun.ts'

export const artifact = defineNoun({
  name: 'artifact',
  about: 'Artifacts: files and logs by content, and what they were made from',
  example: 'add build/report.html --tag report',
  areas: ['artifacts'],
  defaultVerb: 'list',
})
