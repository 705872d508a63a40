import { defineNoun } from '../core/noun.ts'

export const code = defineNoun({
  name: 'code',
  about: 'Why the code is the way it is: annotations in Git notes',
  example: 'why src/client.ts Client.connect',
  areas: ['code'],
  defaultVerb: 'status',
  hasNoPlural: true,
})
