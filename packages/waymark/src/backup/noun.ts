import { defineNoun } from '../core/noun.ts'

export const backup = defineNoun({
  name: 'backup',
  about: 'Everything in one file, and back',
  example: 'export waymark-backup.jsonl',
  areas: ['projects'],
})
