/** The operations on code and its annotations; each file holds what belongs together. */
export { annotateCode } from './code/annotate.ts'
export { addStagedNote, clearContext, setContext, showContext } from './code/pending.ts'
export { readCode } from './code/read.ts'
