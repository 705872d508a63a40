import { defineNoun } from '../core/noun.ts'

export const prompt = defineNoun({
  name: 'prompt',
  about: 'Texts with gaps to fill in',
  areas: ['entities'],
  defaultVerb: 'list',
})
