import { LARGEST_NOTE } from '../../domain/code/note-limits.ts'
import { mergeNoteBodies } from '../../domain/code/note-body.ts'
import { Failure } from '../../error.ts'
import { readObject } from '../objects/read-object.ts'
import { brokenRef } from '../refs/damaged-ref.ts'
import type { Repository } from '../repository.ts'
import { BrokenTree, NotesTree } from './notes-tree.ts'

/**
 * Note blobs by the commit they belong to. The note of a commit should stand in one place, but trees with the same one
 * at `abcd…` and at `ab/cd…` exist; then the blobs of both are named, with a blank between them.
 */
export type NotesByCommit = ReadonlyMap<string, string>

/** One version of a notes ref. */
export interface NotesVersion {
  readonly ref: string
  readonly tip: string
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
  older: string,
): Promise<ReadonlySet<string>> {
  const [now, then] = [new NotesTree(repository, tip), new NotesTree(repository, older)]
  return readingTree(ref, () => now.changes(then))
}

/** The blobs of the notes of these commits, as they are listed, be they here or not; null for a commit without a note. */
export function findBlobs(
  repository: Repository,
  { ref, tip }: NotesVersion,
  commits: Iterable<string>,
): Promise<ReadonlyMap<string, string | null>> {
  const tree = new NotesTree(repository, tip)
  return readingTree(ref, async () => {
    const found = new Map<string, string | null>()
    for (const commit of commits) {
      const blobs = await tree.find(commit)
      found.set(commit, blobs.length === 0 ? null : blobs.join(' '))
    }
    return found
  })
}

/** What is wrong with a tree is wrong with the ref that leads to it. */
export async function readingTree<T>(ref: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof BrokenTree ? brokenRef(ref, error.message) : error
  }
}

/** What a note says; `missing`: a blob of it is not here or cannot be read; `too_large`: it is not read. */
export async function readBlobs(
  repository: Repository,
  blobs: string,
): Promise<{ readonly body: string } | 'missing' | 'too_large'> {
  const bodies: string[] = []
  for (const blob of new Set(blobs.split(' '))) {
    const object = await readObject(repository.objects, LARGEST_NOTE, blob)
    if (typeof object === 'string') return object
    bodies.push(object.content.toString('utf8'))
  }
  return { body: bodies.reduce(mergeNoteBodies) }
}

export const NOTE_UNREADABLE = 'note_unreadable'

export function unreadableNote(commit: string): Failure {
  return new Failure(
    'storage_corrupt',
    `the note of commit ${commit.slice(0, 7)} cannot be read, because its blob is not in this repository: ` +
      'get it with git fetch --refetch from a remote that has it, or run `waymark doctor --repair`, which ' +
      'writes it from the store’s copy',
    { details: { reason: NOTE_UNREADABLE, commit } },
  )
}
