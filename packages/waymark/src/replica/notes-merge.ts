import { listNotes, notesTip } from '../git/notes/read-notes.ts'
import { type NoteEdit, updateNotes } from '../git/notes/write-notes.ts'
import type { Repository } from '../git/repository.ts'
import { toGitFailure } from '../git/run.ts'

export interface NotesMerge {
  /** The notes ref here, and the one that holds what the remote had. */
  readonly ref: string
  readonly remoteRef: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Takes over the notes of the remote, line by line: a note is a list of records that are only ever added to. */
export async function mergeNotes(
  repository: Repository,
  { ref, remoteRef, at }: NotesMerge,
): Promise<number> {
  const theirs = await notesTip(repository, remoteRef)
  const ours = await notesTip(repository, ref)
  if (theirs === undefined || theirs === ours) return 0
  if (ours === undefined) return await adopt(repository, ref, theirs)
  if (await isAncestor(repository, theirs, ours)) return 0
  const our = await listNotes(repository, ours)
  const edits = new Map<string, NoteEdit>()
  for (const [commit, blob] of await listNotes(repository, theirs)) {
    if (our.get(commit) === blob) continue
    const body = (await repository.objects.read(blob))?.content.toString('utf8') ?? ''
    edits.set(commit, (current) => unionOf(current, body))
  }
  await updateNotes(repository, {
    ref,
    edits,
    author: 'waymark',
    message: 'merge notes',
    at,
    mergeOf: theirs,
  })
  return edits.size
}

/** The first notes here are simply theirs, unless somebody writes one at this moment. */
async function adopt(repository: Repository, ref: string, tip: string): Promise<number> {
  const result = await repository.run(['update-ref', ref, tip, ''])
  if (result.exitCode !== 0) throw toGitFailure(result)
  return (await listNotes(repository, tip)).size
}

async function isAncestor(git: Repository, older: string, newer: string): Promise<boolean> {
  return (await git.run(['merge-base', '--is-ancestor', older, newer])).exitCode === 0
}

function unionOf(current: string | undefined, theirs: string): string {
  const lines = [...linesOf(current ?? ''), ...linesOf(theirs)]
  return [...new Set(lines)]
    .toSorted()
    .map((line) => `${line}\n`)
    .join('')
}

function linesOf(body: string): string[] {
  return body.split('\n').filter((line) => line.trim() !== '')
}
