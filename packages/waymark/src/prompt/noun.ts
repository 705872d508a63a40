import { defineNoun } from '../core/noun.ts'

export const prompt = defineNoun({
  name: 'prompt',
  about: 'Prompt templates',
  areas: ['entities'],
  defaultVerb: 'list',
})
