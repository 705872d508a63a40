import { LARGEST_NOTE } from './note-limits.ts'
import { Failure } from '../../core/error.ts'
import type { Repository } from '../../git/repository.ts'
import { type Authorship, moveNotes, type NoteChange } from './move-notes.ts'
import type { NotesTree } from './notes-tree.ts'
import { readBlobs, unreadableNote } from './read-notes.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

/** Maps the current body of a note to the new one; undefined leaves it unchanged. */
export type NoteEdit = (body: string | undefined) => string | undefined

export interface NotesUpdate extends Authorship {
  readonly ref: string
  /** An edit for each commit. It runs again on the new body when another process wrote first. */
  readonly edits: ReadonlyMap<CommitId, NoteEdit>
}

/** Changes many notes atomically. Concurrent `git notes add` calls would lose updates. */
export async function updateNotes(repository: Repository, update: NotesUpdate): Promise<void> {
  const { edits, ...move } = update
  const wanted = [...edits]
  await moveNotes(repository, move, async (tree) => {
    const changes: NoteChange[] = []
    for (let at = 0; at < wanted.length; at += BATCH_SIZE) {
      const page = wanted.slice(at, at + BATCH_SIZE)
      const edited = page.map(([commit, edit]) => editOne(repository, tree, commit, edit))
      changes.push(...(await Promise.all(edited)).filter((change) => change !== undefined))
    }
    return changes
  })
}

/** Notes requested together, so that git answers them without round trips. */
const BATCH_SIZE = 50

async function editOne(
  repository: Repository,
  tree: NotesTree,
  commit: CommitId,
  edit: NoteEdit,
): Promise<NoteChange | undefined> {
  const blobs = await tree.find(commit)
  const note = blobs.length === 0 ? undefined : await readBlobs(repository, blobs.join(' '))
  // Writing a new note would lose the unreadable one.
  if (note === 'missing') throw unreadableNote(commit)
  const current = note !== undefined && 'body' in note ? note.body : undefined
  const body = edit(current)
  if (body === undefined || (body === current && blobs.length === 1)) return undefined
  if (Buffer.byteLength(body) > LARGEST_NOTE) throw tooLarge(commit)
  return { commit, body, ...(note !== undefined && 'problem' in note && { aside: blobs }) }
}

function tooLarge(commit: CommitId): Failure {
  return new Failure(
    'conflict',
    `the note of commit ${commit.slice(0, 7)} would have more than ${LARGEST_NOTE} bytes; annotate another commit`,
    { details: { reason: 'note_full', commit } },
  )
}
