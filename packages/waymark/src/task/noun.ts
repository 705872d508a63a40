import { defineNoun } from '../core/noun.ts'

export const board = defineNoun({
  name: 'board',
  about: 'The board as rows, for programs that draw it',
  example: 'show --json',
  areas: ['tasks'],
})

export const lane = defineNoun({
  name: 'lane',
  about: 'Which agent held which task when',
  example: 'list --from 2026-11-15',
  areas: ['tasks', 'agents', 'messages'],
  defaultVerb: 'list',
})

export const spec = defineNoun({
  name: 'spec',
  about: 'Tasks as a spec.yaml for Lodestar',
  example: 'export',
  areas: ['tasks'],
})

export const task = defineNoun({
  name: 'task',
  about: 'Plan, claim, finish and verify work',
  example: 'claim 12 --seconds 1800',
  areas: ['tasks'],
  defaultVerb: 'list',
  isEveryday: true,
})
