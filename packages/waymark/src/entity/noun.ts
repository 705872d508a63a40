import { defineNoun } from '../core/noun.ts'

export const entity = defineNoun({
  name: 'entity',
  about: 'Decisions, tasks, notes, prompts, components and links',
  areas: ['entities'],
  defaultVerb: 'list',
})
