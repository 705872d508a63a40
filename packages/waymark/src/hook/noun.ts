import { defineNoun } from '../core/noun.ts'

export const hook = defineNoun({
  name: 'hook',
  about: 'Git hooks for snapshots, sync and annotations',
  example: 'install --kind sync',
  areas: ['projects'],
  defaultVerb: 'status',
})
