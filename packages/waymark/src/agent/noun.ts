import { defineNoun } from '../core/noun.ts'

export const agent = defineNoun({
  name: 'agent',
  about: 'Who works on the project, and what they hold',
  areas: ['agents'],
  defaultVerb: 'list',
})
