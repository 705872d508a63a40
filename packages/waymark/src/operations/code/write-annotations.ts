import type { Context } from '../../context.ts'
import { addToNoteBody } from '../../domain/code/note-body.ts'
import type { RecordDocument } from '../../domain/code/record.ts'
import { type NoteEdit, updateNotes } from '../../git/notes/write-notes.ts'
import { copyWritten } from './copy-notes.ts'
import type { Code } from './open-code.ts'

export interface NotesChange {
  /** The notes ref to write to, if not the one in the settings. */
  readonly ref?: string
  readonly edits: ReadonlyMap<string, NoteEdit>
  readonly message: string
  /** Another history of the notes that becomes part of this one. */
  readonly mergeOf?: string
}

/** Writes notes for several commits at once and brings the store's copy up to date. What is written is not stopped any more. */
export async function writeNotes(
  context: Context,
  { repository, settings }: Code,
  { ref = settings.noteRef, edits, message, mergeOf }: NotesChange,
): Promise<void> {
  await updateNotes(repository, {
    ref,
    edits,
    author: context.agent.name ?? 'waymark',
    message,
    at: context.now(),
    ...(mergeOf !== undefined && { mergeOf }),
  })
  await copyWritten(context, repository, ref)
}

/** Adds records to the note of a commit, beside those that are there. */
export function adding(documents: readonly RecordDocument[]): NoteEdit {
  return (body) => addToNoteBody(body, documents)
}
