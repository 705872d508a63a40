import { defineNoun } from '../core/noun.ts'

export const search = defineNoun({
  name: 'search',
  about: 'Find anything by words, meaning or filters',
  example: '"retry type:decision"',
  areas: ['entities', 'messages', 'code', 'artifacts'],
  defaultVerb: 'query',
  takesWords: true,
  isEveryday: true,
})
