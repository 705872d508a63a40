import { defineNoun } from '../core/noun.ts'

export const history = defineNoun({
  name: 'history',
  about: "Show and undo an author's changes",
  example: 'undo ada 2026-11-01 --dry-run',
  areas: ['entities'],
  hasNoPlural: true,
})

export const sync = defineNoun({
  name: 'sync',
  about: 'Exchange everything with other clones through Git',
  example: 'origin --dry-run',
  areas: ['projects'],
  defaultVerb: 'run',
  takesWords: true,
  isEveryday: true,
  hasNoPlural: true,
})

export const replica = defineNoun({
  name: 'replica',
  about: 'All entities with their history, for copies of the project',
  example: 'read --limit 10',
  areas: ['projects', 'entities', 'tasks'],
})
