import { defineNoun } from '../core/noun.ts'

export const event = defineNoun({
  name: 'event',
  about: 'What happened, in order',
  areas: ['events'],
  defaultVerb: 'list',
  takesWords: true,
})
