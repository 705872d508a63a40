import { defineNoun } from '../core/noun.ts'

export const history = defineNoun({
  name: 'history',
  about: 'Take back what somebody changed',
  areas: ['entities'],
  hasNoPlural: true,
})

export const sync = defineNoun({
  name: 'sync',
  about: 'Exchange everything with other clones through Git',
  areas: ['projects'],
  defaultVerb: 'run',
  takesWords: true,
  isEveryday: true,
  hasNoPlural: true,
})
