import { defineNoun } from '../core/noun.ts'

export const job = defineNoun({
  name: 'job',
  about: 'Long checks and repairs in the background, one at a time',
  example: 'start check',
  areas: ['projects'],
  defaultVerb: 'list',
})
