import { foldById, parseNoteBody } from './note-body.ts'
import { isTooDeep, whyOutOfBounds } from './note-limits.ts'
import { type AnnotationRecord, toRecord } from '../record.ts'
import { readBlobs } from './read-notes.ts'
import type { Repository } from '../../git/repository.ts'
import type { NoteCopy } from '../store.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

/** A note as it is copied, and which bound keeps it, or part of it, from being read. */
export interface ReadNote extends NoteCopy {
  readonly problem?: string
}

/** Reads the note of a commit, whose blobs are named; null for a note that is gone. */
export async function readNote(
  repository: Repository,
  commit: CommitId,
  blob: string | null,
): Promise<ReadNote> {
  const nothing = { commit, blob, records: [] }
  if (blob === null) return { ...nothing, unreadable: 0 }
  const note = await readBlobs(repository, blob)
  const unread = { ...nothing, isUnread: true, unreadable: 1 }
  if (note === 'missing') return { ...unread, isMissing: true }
  if ('problem' in note) return { ...unread, problem: note.problem }
  return { commit, blob, ...readRecords(note.body) }
}

function readRecords(body: string): Pick<ReadNote, 'records' | 'unreadable' | 'problem'> {
  const { documents, unreadable } = parseNoteBody(body)
  const problems = documents.flatMap((document) => whyOutOfBounds(document) ?? [])
  const [problem] = [...problems, ...(unreadable.some(isTooDeep) ? ['nested too deeply'] : [])]
  const readable =
    problems.length === 0
      ? documents
      : documents.filter((document) => whyOutOfBounds(document) === undefined)
  const records = foldById(readable).map(toRecord)
  const understood = records.filter((record): record is AnnotationRecord => record !== undefined)
  const superseded = new Set(understood.flatMap(({ supersedes }) => supersedes))
  return {
    records: understood.filter(({ id }) => !superseded.has(id)),
    unreadable: unreadable.length + problems.length + records.length - understood.length,
    ...(problem !== undefined && { problem }),
  }
}
