import { mergeNoteBodies } from '../../domain/code/note-body.ts'
import type { Repository } from '../repository.ts'
import { listNotes, notesTip, readBlobs, unreadableNote } from './read-notes.ts'
import { FLUSHED, type NoteEdit, updateNotes } from './write-notes.ts'

export interface NotesMerge {
  /** The notes ref that takes over, and the one that is taken over. */
  readonly ref: string
  readonly from: string
  readonly author: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/**
 * Takes over all notes of another ref, such as one fetched from a remote. Notes of one commit are joined record by
 * record; nothing is ever lost, and the order in which clones merge does not matter. Says how many notes changed.
 */
export async function mergeNotes(
  repository: Repository,
  { ref, from, author, at }: NotesMerge,
): Promise<{ readonly changed: number }> {
  const [ours, theirs] = await Promise.all([notesTip(repository, ref), notesTip(repository, from)])
  if (theirs === undefined || theirs === ours) return { changed: 0 }
  if (ours !== undefined && (await isAncestor(repository, theirs, ours))) return { changed: 0 }
  const known = ours === undefined ? new Map<string, string>() : await listNotes(repository, ours)
  const listed = await listNotes(repository, theirs)
  const changed = [...listed].filter(([commit, blobs]) => known.get(commit) !== blobs)
  if (await fastForward(repository, { ref, ours, theirs })) return { changed: changed.length }
  const edits = new Map<string, NoteEdit>()
  for (const [commit, blobs] of changed) {
    const body = await readBlobs(repository, blobs)
    if (body === undefined) throw unreadableNote(commit)
    edits.set(commit, (current) => (current === undefined ? body : mergeNoteBodies(current, body)))
  }
  const message = `Merge notes from ${from}`
  await updateNotes(repository, { ref, edits, author, message, at, mergeOf: theirs })
  return { changed: edits.size }
}

/** Where their history contains ours, theirs becomes ours; unless somebody writes a note at this moment. */
async function fastForward(
  repository: Repository,
  { ref, ours, theirs }: { ref: string; ours: string | undefined; theirs: string },
): Promise<boolean> {
  if (ours !== undefined && !(await isAncestor(repository, ours, theirs))) return false
  const { exitCode } = await repository.run([...FLUSHED, 'update-ref', ref, theirs, ours ?? ''])
  return exitCode === 0
}

async function isAncestor(repository: Repository, older: string, newer: string): Promise<boolean> {
  return (await repository.run(['merge-base', '--is-ancestor', older, newer])).exitCode === 0
}
