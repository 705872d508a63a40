import { defineNoun } from '../core/noun.ts'

export const snapshot = defineNoun({
  name: 'snapshot',
  about: 'Everything as Markdown files',
  example: 'create --dry-run',
  areas: ['projects'],
  defaultVerb: 'create',
})
