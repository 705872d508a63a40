import { assertNotReplaced } from '../../agent/session/identify-caller.ts'
import type { Context, ReadContext } from '../../core/context.ts'
import { addToNoteBody } from '../notes/note-body.ts'
import type { RecordDocument } from '../record.ts'
import { type NoteEdit, updateNotes } from '../notes/write-notes.ts'
import { missingRef } from '../../git/refs/damaged-ref.ts'
import { readRef } from '../../git/refs/ref-state.ts'
import type { Repository } from '../../git/repository.ts'
import { copyWritten } from '../notes/copy-notes.ts'
import type { Code } from './open-code.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

export interface NotesChange {
  /** The notes ref to write to, if not the one in the settings. */
  readonly ref?: string
  readonly edits: ReadonlyMap<CommitId, NoteEdit>
  readonly message: string
}

/** Writes notes for several commits at once and brings the store's copy up to date. What is written is not stopped any more. */
export async function writeNotes(
  context: Context,
  { repository, settings }: Code,
  { ref = settings.noteRef, edits, message }: NotesChange,
): Promise<void> {
  await assertNotReplaced(context)
  await assertNotLost(context, repository, { ref })
  await updateNotes(repository, {
    ref,
    edits,
    author: context.agent.name ?? 'waymark',
    message,
    at: context.now(),
  })
  await copyWritten(context, repository, ref)
}

/**
 * Throws if the ref is gone while the store has a copy of its notes: the first note of a new ref, or another history in
 * its place, would make the copy follow. `from` may take its place if it has all that the copy was made of.
 */
export async function assertNotLost(
  { store }: ReadContext,
  repository: Repository,
  { ref, from }: { readonly ref: string; readonly from?: string },
): Promise<void> {
  if ((await readRef(repository, ref)).kind !== 'absent') return
  const notes = (await store.annotations.blobsOf(ref)).size
  if (notes === 0) return
  const known = await store.annotations.tipOf(ref)
  if (from !== undefined && known !== undefined) {
    const args = ['merge-base', '--is-ancestor', known, from]
    if ((await repository.run(args)).exitCode === 0) return
  }
  throw missingRef(ref, notes)
}

/** Adds records to the note of a commit, beside those that are there. */
export function adding(documents: readonly RecordDocument[]): NoteEdit {
  return (body) => addToNoteBody(body, documents)
}
