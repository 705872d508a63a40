import { defineNoun } from '../core/noun.ts'

export const message = defineNoun({
  name: 'message',
  about: 'What agents tell each other',
  example: 'send "the parser is yours now" --to ada',
  areas: ['messages'],
  defaultVerb: 'list',
  isEveryday: true,
  aliases: ['msg'],
})
