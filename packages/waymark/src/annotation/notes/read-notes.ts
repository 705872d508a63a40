import { hasTooMany, mergeNoteBodies } from './note-body.ts'
import { LARGEST_NOTE, MOST_DOCUMENTS } from './note-limits.ts'
import { Failure } from '../../core/error.ts'
import type { Reason } from '../../core/reason.ts'
import { readObject } from '../../git/objects/read-object.ts'
import { brokenRef } from '../../git/refs/damaged-ref.ts'
import type { Repository } from '../../git/repository.ts'
import { BrokenTree, NotesTree } from './notes-tree.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

/**
 * Note blobs by commit. A commit should have one note, but a tree may contain it at `abcd…` and at `ab/cd…`; then the value
 * lists both blobs, separated by a space.
 */
export type NotesByCommit = ReadonlyMap<CommitId, string>

/** One version of a notes ref. */
export interface NotesVersion {
  readonly ref: string
  readonly tip: CommitId
}

export function listNotes(repository: Repository, version: NotesVersion): Promise<NotesByCommit> {
  return readingTree(version.ref, async () => {
    const notes = await new NotesTree(repository, version.tip).all()
    return new Map([...notes].map(([commit, blobs]) => [commit, blobs.join(' ')]))
  })
}

/** The commits whose notes are not the same in an older commit of the ref. */
export function changedNotes(
  repository: Repository,
  { ref, tip }: NotesVersion,
  older: CommitId,
): Promise<ReadonlySet<CommitId>> {
  const [now, then] = [new NotesTree(repository, tip), new NotesTree(repository, older)]
  return readingTree(ref, () => now.changes(then))
}

/** The note blobs of these commits, including missing ones; null for a commit without a note. */
export function findBlobs(
  repository: Repository,
  { ref, tip }: NotesVersion,
  commits: Iterable<CommitId>,
): Promise<ReadonlyMap<CommitId, string | null>> {
  const tree = new NotesTree(repository, tip)
  return readingTree(ref, async () => {
    const found = new Map<CommitId, string | null>()
    for (const commit of commits) {
      const blobs = await tree.find(commit)
      found.set(commit, blobs.length === 0 ? null : blobs.join(' '))
    }
    return found
  })
}

/** Reports a broken tree as damage of its ref. */
export async function readingTree<T>(ref: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof BrokenTree ? brokenRef(ref, error.message) : error
  }
}

/** The body of a note; or the limit that it exceeds; `missing` if one of its blobs is missing or damaged. */
export type NoteText = { readonly body: string } | { readonly problem: string } | 'missing'

export async function readBlobs(repository: Repository, blobs: string): Promise<NoteText> {
  const bodies: string[] = []
  for (const blob of new Set(blobs.split(' '))) {
    const object = await readObject(repository.objects, LARGEST_NOTE, blob)
    if (object === 'missing') return object
    if (object === 'too_large') return { problem: `larger than ${LARGEST_NOTE} bytes` }
    bodies.push(object.content.toString('utf8'))
  }
  const body = bodies.reduce(mergeNoteBodies)
  return hasTooMany(body) ? { problem: `more than ${MOST_DOCUMENTS} annotations` } : { body }
}

export const NOTE_UNREADABLE = 'note_unreadable' satisfies Reason

export function unreadableNote(commit: CommitId): Failure {
  return new Failure(
    'storage_corrupt',
    `the note of commit ${commit.slice(0, 7)} cannot be read, because its blob is not in this repository: ` +
      'get it with git fetch --refetch from a remote that has it, or run `waymark doctor --repair`, which ' +
      'writes it from the store’s copy',
    { details: { reason: NOTE_UNREADABLE, commit } },
  )
}
