import { defineNoun } from '../core/noun.ts'

export const agent = defineNoun({
  name: 'agent',
  about: 'Who works on the project, and what they hold',
  example: 'list --include-offline',
  areas: ['agents'],
  defaultVerb: 'list',
})
