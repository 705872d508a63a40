import { defineNoun } from '../core/noun.ts'

export const spec = defineNoun({
  name: 'spec',
  about: 'Tasks as a spec.yaml for Lodestar',
  areas: ['tasks'],
})

export const task = defineNoun({
  name: 'task',
  about: 'Plan, claim, finish and verify work',
  areas: ['tasks'],
  defaultVerb: 'list',
  isEveryday: true,
})
