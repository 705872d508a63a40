import { defineNoun } from '../core/noun.ts'

export const prompt = defineNoun({
  name: 'prompt',
  about: 'Prompt templates',
  example: 'render decision_review --argument id=3',
  areas: ['entities'],
  defaultVerb: 'list',
})
