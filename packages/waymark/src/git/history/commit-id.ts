import type { Brand } from '../../support/brand.ts'

/** Full object id of a commit. */
export type CommitId = Brand<string, 'CommitId'>

/** An id as Git prints it, or as a note of ours has it. */
export function toCommitId(text: string): CommitId {
  return text as CommitId
}

/** The ids that Git lists, one on each line. */
export function toCommitIds(output: string): readonly CommitId[] {
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map(toCommitId)
}
