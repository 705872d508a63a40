import { defineNoun } from '../core/noun.ts'

export const cache = defineNoun({
  name: 'cache',
  about: 'The search index',
  example: 'stats',
  areas: ['projects'],
  defaultVerb: 'stats',
})

export const project = defineNoun({
  name: 'project',
  about: 'Figures, schema and state of the project',
  example: 'status',
  areas: ['projects'],
  defaultVerb: 'status',
})

export const status = defineNoun({
  name: 'status',
  about: 'The project at a glance; what `waymark` alone shows',
  example: '',
  areas: ['tasks', 'messages', 'entities'],
  defaultVerb: 'show',
  isEveryday: true,
  hasNoPlural: true,
})
