import { defineNoun } from '../core/noun.ts'

export const event = defineNoun({
  name: 'event',
  about: 'What happened, in order',
  example: 'list --type task.done',
  areas: ['events'],
  defaultVerb: 'list',
  takesWords: true,
})
