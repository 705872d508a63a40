import { defineNoun } from '../core/noun.ts'

export const brief = defineNoun({
  name: 'brief',
  about: 'What an agent needs to know now',
  example: '"rework the parser" --path src/parser.ts',
  areas: ['tasks', 'messages', 'entities', 'code'],
  defaultVerb: 'show',
  takesWords: true,
  isEveryday: true,
})
