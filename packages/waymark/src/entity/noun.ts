import { defineNoun } from '../core/noun.ts'

export const entity = defineNoun({
  name: 'entity',
  about: 'Decisions, tasks, notes, prompts, components and links',
  example: 'create decision "Use SQLite for storage" --status accepted',
  areas: ['entities'],
  defaultVerb: 'list',
})
