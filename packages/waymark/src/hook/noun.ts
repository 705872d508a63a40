import { defineNoun } from '../core/noun.ts'

export const hook = defineNoun({
  name: 'hook',
  about: 'Git hooks for snapshots, sync and annotations; what hosts run on events of a session',
  example: 'install --kind sync',
  areas: ['projects'],
  defaultVerb: 'status',
})
