import { objectFormat } from '../../git/objects/object-format.ts'
import { ObjectWriter } from '../../git/objects/object-writer.ts'
import { mergeBase } from '../../git/refs/merge-base.ts'
import { moveRef } from '../../git/refs/move-ref.ts'
import { refTip } from '../../git/refs/ref-tip.ts'
import type { Repository } from '../../git/repository.ts'
import { inGroups } from '../notes/in-groups.ts'
import { NoteJoiner } from './join-notes.ts'
import type { SetAside } from '../notes/note-limits.ts'
import { moveNotes, type NoteChange } from '../notes/move-notes.ts'
import type { NotesTree } from '../notes/notes-tree.ts'
import { changedNotes, listNotes, type NotesByCommit } from '../notes/read-notes.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

export interface NotesMerge {
  /** The target and the source notes ref. */
  readonly ref: string
  readonly from: string
  readonly author: string
  /** Milliseconds since 1970. */
  readonly at: number
  onProgress?(this: void, done: number, total: number): void
  readonly signal?: AbortSignal
}

export interface NotesMerged {
  /** How many notes here have become others. */
  readonly changed: number
  readonly setAside: readonly SetAside[]
}

/** Both sides and what they have in common. */
interface Sides {
  readonly ours: CommitId | undefined
  readonly theirs: CommitId
  readonly base: CommitId | undefined
}

/**
 * Merges all notes of another ref, such as a fetched one. Notes of one commit are merged record by record; no record is
 * lost, and the merge is commutative. Most work happens before the lock is taken; under it, only notes that other
 * processes have written since are merged again.
 */
export async function mergeNotes(repository: Repository, merge: NotesMerge): Promise<NotesMerged> {
  const { ref, from } = merge
  const [ours, theirs] = await Promise.all([refTip(repository, ref), refTip(repository, from)])
  const nothing = { changed: 0, setAside: [] }
  if (theirs === undefined || theirs === ours) return nothing
  const base = ours === undefined ? undefined : await mergeBase(repository, ours, theirs)
  if (base === theirs) return nothing
  const { wanted, isComplete } = await findWanted(repository, merge, { ours, theirs, base })
  using prepared = new ObjectWriter(repository, objectFormat(repository))
  const joiner = new NoteJoiner(repository, ref, prepared)
  if (ours === base && isComplete && (await haveOurs(repository, { wanted, joiner }))) {
    const move = { ref, to: theirs, from: ours, why: `Take over ${from}` }
    if ((await moveRef(repository, move)) === 'moved') return { ...nothing, changed: wanted.length }
  }
  const changes = await joinAll(repository, merge, { wanted, joiner })
  const move = { ...merge, message: `Merge notes from ${from}`, mergeOf: theirs, prepared }
  await moveNotes(repository, move, async (tree, tip) => {
    const moved = tip === ours ? [] : await changedBetween(repository, { ref, tree, tip, ours })
    return await joinAgain({ tree, joiner, wanted, changes }, new Set(moved))
  })
  const { setAside } = joiner
  // Where theirs was set aside ours has stayed.
  return { changed: changes.size - setAside.length, setAside }
}

/** A note that they have and we have not, or not like this. */
interface Wanted {
  readonly commit: CommitId
  readonly ours: readonly string[]
  readonly theirs: readonly string[]
}

interface Difference {
  readonly wanted: readonly Wanted[]
  /** They have a note wherever we have one. */
  readonly isComplete: boolean
}

async function findWanted(
  repository: Repository,
  { ref, from }: NotesMerge,
  { ours, theirs, base }: Sides,
): Promise<Difference> {
  const list = async (of: string, tip: CommitId | undefined): Promise<NotesByCommit> =>
    tip === undefined ? new Map() : await listNotes(repository, { ref: of, tip })
  const our = await list(ref, ours)
  const old = base === ours ? our : await list(ref, base)
  const their = await list(from, theirs)
  const wanted: Wanted[] = []
  for (const [commit, blobs] of their) {
    const mine = our.get(commit)
    // What only we have changed stays as it is.
    if (mine === blobs || (mine !== undefined && old.get(commit) === blobs)) continue
    wanted.push({ commit, ours: mine?.split(' ') ?? [], theirs: blobs.split(' ') })
  }
  return { wanted, isComplete: [...our.keys()].every((commit) => their.has(commit)) }
}

/** Whether their notes are a superset of ours. */
async function haveOurs(repository: Repository, { wanted, joiner }: Joining): Promise<boolean> {
  const changed = wanted.filter(({ ours }) => ours.length > 0)
  for await (const group of inGroups(repository, changed, blobsOf)) {
    if ((await Promise.all(group.map((each) => joiner.hasOurs(each)))).includes(false)) return false
  }
  return true
}

function blobsOf({ ours, theirs }: Wanted): readonly string[] {
  return [...ours, ...theirs]
}

interface Joining {
  readonly wanted: readonly Wanted[]
  readonly joiner: NoteJoiner
}

type Changes = ReadonlyMap<CommitId, NoteChange>

async function joinAll(
  repository: Repository,
  { signal, onProgress }: NotesMerge,
  { wanted, joiner }: Joining,
): Promise<Changes> {
  const changes = new Map<CommitId, NoteChange>()
  let done = 0
  for await (const group of inGroups(repository, wanted, blobsOf)) {
    signal?.throwIfAborted()
    for (const change of await Promise.all(group.map((each) => joiner.join(each)))) {
      if (change !== undefined) changes.set(change.commit, change)
    }
    await joiner.flush()
    onProgress?.((done += group.length), wanted.length)
  }
  return changes
}

interface Moved {
  readonly tip: CommitId | undefined
  readonly ours: CommitId | undefined
}

async function changedBetween(
  repository: Repository,
  { ref, tree, tip, ours }: { readonly ref: string; readonly tree: NotesTree } & Moved,
): Promise<Iterable<CommitId>> {
  if (tip === undefined || ours === undefined) return (await tree.all()).keys()
  return await changedNotes(repository, { ref, tip }, ours)
}

/** What was joined beforehand, but for those notes that other processes have changed since. */
async function joinAgain(
  {
    tree,
    joiner,
    wanted,
    changes,
  }: Joining & { readonly tree: NotesTree; readonly changes: Changes },
  moved: ReadonlySet<CommitId>,
): Promise<readonly NoteChange[]> {
  if (moved.size === 0) return [...changes.values()]
  const again: NoteChange[] = []
  for (const { commit, theirs } of wanted) {
    const known = changes.get(commit)
    const change = moved.has(commit)
      ? await joiner.join({ commit, ours: await tree.find(commit), theirs })
      : known
    if (change !== undefined) again.push(change)
  }
  await joiner.flush()
  return again
}
