import type { AnnotatedCode } from '../freshness.ts'
import type { Region } from '../record.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

/** A region of the annotation of a commit. */
export interface AnnotatedRegion {
  readonly commit: CommitId
  readonly region: Region
}

/** When to leave the rest for the next time. */
export interface Deadline {
  isOver(): boolean
  /** Whether to leave out what needs many versions of the file. */
  readonly isQuick?: boolean
}

export const NO_DEADLINE: Deadline = { isOver: () => false }

/** A region about a named unit, and what is known of that. */
export interface AnnotatedUnit extends AnnotatedRegion {
  readonly code: AnnotatedCode & { readonly anchor: string }
}
