import type { Context } from '../../core/context.ts'
import type { Failure } from '../../core/error.ts'
import { inGroups } from './in-groups.ts'
import type { SetAside } from './note-limits.ts'
import { changedNotes, findBlobs, listNotes } from './read-notes.ts'
import { damagedRef, isDamagedRef, missingRef } from '../../git/refs/damaged-ref.ts'
import { readRef } from '../../git/refs/ref-state.ts'
import { assertTree } from '../../git/refs/ref-tip.ts'
import type { Repository } from '../../git/repository.ts'
import type { AnnotationReader, NoteCopy } from '../store.ts'
import { toAnnotationDocument } from '../search-text.ts'
import type { StoreTransaction } from '../../core/store/store.ts'
import { readNote } from './read-note.ts'
import type { CommitId } from '../../git/history/commit-id.ts'
import { yieldToEventLoop } from '../../support/yield-to-event-loop.ts'

/** A slice ends with the note during which it reaches this. */
const SLICE_MS = 20

/** Above this number of changes, a full comparison is faster. */
const MOST_FOLLOWED = 200

type Nouns = Pick<StoreTransaction, 'annotations' | 'search'>

/** The commits whose notes have changed. */
type Changes = ReadonlySet<CommitId>

export interface Copied {
  /** Why the copy could not be brought up to date. What it had it still has, and can be answered from. */
  readonly damage?: Failure
  /** Notes that were looked at now and are not read. */
  readonly setAside: readonly SetAside[]
}

export interface NotesToCopy {
  readonly repository: Repository
  readonly refs: readonly string[]
  /** Ends the update sooner than the call. What is copied by then is kept. */
  readonly signal?: AbortSignal
}

/** How the store's copy of a notes ref differs from the ref. */
type Comparison =
  | { readonly kind: 'current' }
  | { readonly kind: 'damaged'; readonly damage: Failure }
  | { readonly kind: 'outdated'; readonly known: CommitId | undefined; readonly tip: CommitId }
  /** The copy is that of the tip, but these blobs were missing when it was made. */
  | { readonly kind: 'incomplete'; readonly missing: ReadonlyMap<CommitId, string> }

export async function compareCopy(
  annotations: AnnotationReader,
  repository: Repository,
  ref: string,
): Promise<Comparison> {
  try {
    const [state, known] = await Promise.all([readRef(repository, ref), annotations.tipOf(ref)])
    if (state.kind === 'absent') {
      // A ref that was never there is no damage.
      const notes = (await annotations.blobsOf(ref)).size
      return notes === 0 ? { kind: 'current' } : damaged(missingRef(ref, notes))
    }
    if (state.kind !== 'commit') return damaged(damagedRef(ref, state))
    if (state.id !== known) return { kind: 'outdated', known, tip: state.id }
    // The copy is as good as ever, but a person should know that Git's notes are gone.
    await assertTree(repository, ref, known)
    const missing = await annotations.missingOf(ref)
    const isPaused = performance.now() < (nextTries.get(repository) ?? 0)
    return missing.size === 0 || isPaused ? { kind: 'current' } : { kind: 'incomplete', missing }
  } catch (error) {
    if (!isDamagedRef(error)) throw error
    return damaged(error)
  }
}

function damaged(damage: Failure): Comparison {
  return { kind: 'damaged', damage }
}

/** Updates the copies of several refs. Returns why some could not be updated. */
export async function copyAllNotes(
  context: Context,
  { repository, refs, signal = context.signal }: NotesToCopy,
): Promise<readonly Failure[]> {
  const damages: Failure[] = []
  for (const ref of refs) {
    const { damage } = await copyNotes({ ...context, signal }, repository, ref)
    if (damage !== undefined) damages.push(damage)
  }
  return damages
}

/**
 * Updates the store's copy of a notes ref. The copy records the tip it was made of: a no-op if that is still the tip, an
 * incremental update if it is an ancestor, and a full comparison otherwise. Missing blobs are retried.
 *
 * The copy may be all that is left of the notes. So it only follows a ref to a readable tree: a damaged or missing ref
 * removes nothing from it.
 */
export async function copyNotes(
  context: Context,
  repository: Repository,
  ref: string,
): Promise<Copied> {
  const setAside: SetAside[] = []
  const copy: Copy = { context, repository, ref, setAside }
  try {
    for (;;) {
      const found = await compareCopy(context.store.annotations, repository, ref)
      if (found.kind === 'damaged') return { setAside, damage: found.damage }
      if (found.kind === 'incomplete') await readMissing(copy, found.missing)
      if (found.kind === 'outdated' && !(await bringTo(copy, found.known, found.tip))) continue
      return { setAside }
    }
  } catch (error) {
    if (!isDamagedRef(error)) throw error
    return { setAside, damage: error }
  }
}

interface Copy {
  readonly context: Context
  readonly repository: Repository
  readonly ref: string
  readonly setAside: SetAside[]
}

/** False if another process changed the copy first; then retry. */
async function bringTo(copy: Copy, known: CommitId | undefined, tip: CommitId): Promise<boolean> {
  const changes = await changesSince(copy, known, tip)
  return known !== undefined && changes !== undefined && changes.size <= MOST_FOLLOWED
    ? await follow(copy, { known, tip, changes })
    : await rebuild(copy, tip)
}

/** As `copyNotes`, but ignores cancellation: the notes exist, and the next read will index them. */
export async function copyWritten(
  context: Context,
  repository: Repository,
  ref: string,
): Promise<Copied> {
  try {
    return await copyNotes(context, repository, ref)
  } catch (error) {
    if (!context.signal.aborted) throw error
    return { setAside: [] }
  }
}

/** Undefined when the older version can no longer be read. */
async function changesSince(
  { repository, ref }: Copy,
  known: CommitId | undefined,
  tip: CommitId,
): Promise<Changes | undefined> {
  if (known === undefined || (await repository.objects.info(known)) === undefined) return undefined
  try {
    return await changedNotes(repository, { ref, tip }, known)
  } catch (error) {
    if (isDamagedRef(error)) return undefined
    throw error
  }
}

interface Step {
  readonly known: string
  readonly tip: CommitId
  readonly changes: Changes
}

/** Copies a few changes and sets the new tip in one transaction; false if another process was first. */
async function follow(copy: Copy, { known, tip, changes }: Step): Promise<boolean> {
  const { context, repository, ref } = copy
  const found = await findBlobs(repository, { ref, tip }, changes)
  let notes: readonly NoteCopy[] = []
  for await (const group of readNotes(copy, [...found])) {
    // More than one transaction may hold in memory.
    if (notes.length > 0) return await rebuild(copy, tip)
    notes = group
  }
  return await context.store.write(async (tx) => {
    if ((await tx.annotations.tipOf(ref)) !== known) return false
    for (const note of notes) await put(tx, ref, note)
    await tx.annotations.setTip(ref, tip)
    return true
  }, context)
}

/** Limits retries: with an unreachable remote, each read would wait for it. */
const PAUSE_FACTOR = 10
const nextTries = new WeakMap<Repository, number>()

/** Retries missing blobs: they can be restored without a change of the tip. */
async function readMissing(copy: Copy, missing: ReadonlyMap<CommitId, string>): Promise<void> {
  const { repository } = copy
  const began = performance.now()
  for await (const notes of readNotes(copy, [...missing])) {
    const found = notes.filter(({ isMissing }) => isMissing !== true)
    if (found.length > 0) await putFound(copy, found)
  }
  const now = performance.now()
  nextTries.set(repository, now + PAUSE_FACTOR * (now - began))
}

async function putFound({ context, ref }: Copy, found: readonly NoteCopy[]): Promise<void> {
  await context.store.write(async (tx) => {
    const [tip, still] = [await tx.annotations.tipOf(ref), await tx.annotations.missingOf(ref)]
    // Another process may have copied something newer meanwhile.
    if (tip === undefined) return
    for (const note of found) {
      if (still.get(note.commit) === note.blob) await put(tx, ref, note)
    }
    await tx.annotations.setTip(ref, tip)
  }, context)
}

/** Compares the copy with the tree, in groups; sets the tip only if both are equal at the end. */
async function rebuild(copy: Copy, tip: CommitId): Promise<boolean> {
  const { context, repository, ref } = copy
  copy.setAside.length = 0
  const wanted = await listNotes(repository, { ref, tip })
  await context.store.write((tx) => tx.annotations.beginCopy(ref), context)
  const different = difference(await context.store.annotations.blobsOf(ref), wanted)
  for await (const notes of readNotes(copy, different)) await putInSlices(copy, notes)
  return await context.store.write(async (tx) => {
    if (difference(await tx.annotations.blobsOf(ref), wanted).length > 0) return false
    await tx.annotations.setTip(ref, tip)
    return true
  }, context)
}

/** In transactions that are over soon: other calls go on in between, and a call that ends keeps most of its work. */
async function putInSlices({ context, ref }: Copy, notes: readonly NoteCopy[]): Promise<void> {
  for (let done = 0; done < notes.length;) {
    const from = done
    done = await context.store.write(async (tx) => {
      const start = performance.now()
      let at = from
      for (const note of notes.slice(from)) {
        await put(tx, ref, note)
        at += 1
        if (performance.now() - start > SLICE_MS) break
      }
      return at
    }, context)
    await yieldToEventLoop(context.signal)
  }
}

/** Drops the copy of a ref that was deleted on purpose. Returns how many notes it had. */
export async function forgetNotes(tx: Nouns, ref: string): Promise<number> {
  await tx.annotations.beginCopy(ref)
  const commits = [...(await tx.annotations.blobsOf(ref)).keys()]
  for (const commit of commits) await put(tx, ref, gone(commit))
  return commits.length
}

function gone(commit: CommitId): NoteCopy {
  return { commit, blob: null, records: [], unreadable: 0 }
}

/** Drops the copy of one note; the next read copies it again. */
export async function dropNote(tx: Nouns, ref: string, commit: CommitId): Promise<void> {
  await tx.annotations.beginCopy(ref)
  await put(tx, ref, gone(commit))
}

async function put(tx: Nouns, ref: string, note: NoteCopy): Promise<void> {
  const { removed } = await tx.annotations.replaceNote(ref, note)
  for (const id of removed) await tx.search.remove('annotation', id)
  for (const record of note.records) await tx.search.put(toAnnotationDocument(record, note.commit))
}

function difference(
  copied: ReadonlyMap<CommitId, string>,
  wanted: ReadonlyMap<CommitId, string>,
): readonly (readonly [CommitId, string | null])[] {
  const changed = [...wanted].filter(([commit, blob]) => copied.get(commit) !== blob)
  const gone = [...copied.keys()].filter((commit) => !wanted.has(commit))
  return [...changed, ...gone.map((commit) => [commit, null] as const)]
}

/** Reads notes a group at a time: those of one group may be in memory together, and are written in one transaction. */
async function* readNotes(
  { repository, ref, setAside }: Copy,
  changes: readonly (readonly [CommitId, string | null])[],
): AsyncGenerator<readonly NoteCopy[]> {
  const blobsOf = ([, blob]: readonly [CommitId, string | null]) => blob?.split(' ') ?? []
  for await (const group of inGroups(repository, changes, blobsOf)) {
    const read = group.map(([commit, blob]) => readNote(repository, commit, blob))
    const notes = await Promise.all(read)
    for (const { problem, commit, blob } of notes) {
      if (problem !== undefined) setAside.push({ ref, commit, hash: blob ?? '', problem })
    }
    yield notes
  }
}
