import { defineNoun } from '../core/noun.ts'

export const exchange = defineNoun({
  name: 'exchange',
  about: 'Import from other tools, and export to them',
  example: 'import beads --dry-run',
  areas: ['entities', 'tasks'],
  hasNoPlural: true,
})
