import type { Context } from '../core/context.ts'
import { addToNoteBody, foldById, parseNoteBody } from '../annotation/notes/note-body.ts'
import {
  type AnnotationRecord,
  type RecordDocument,
  toDocument,
  toRecord,
} from '../annotation/record.ts'
import { toNotesCommit } from '../annotation/notes/move-notes.ts'
import { BrokenTree, NotesTree } from '../annotation/notes/notes-tree.ts'
import { type NoteText, readBlobs } from '../annotation/notes/read-notes.ts'
import { moveDamagedAway } from '../git/objects/damaged-objects.ts'
import { objectFormat } from '../git/objects/object-format.ts'
import { ObjectWriter } from '../git/objects/object-writer.ts'
import { hasHistory } from '../git/refs/inspect-ref.ts'
import { moveRef } from '../git/refs/move-ref.ts'
import { olderVersions } from '../git/refs/older-versions.ts'
import { replaceRef } from '../git/refs/replace-ref.ts'
import type { RefState } from '../git/refs/ref-state.ts'
import type { Repository } from '../git/repository.ts'
import type { CommitId } from '../git/history/commit-id.ts'

export interface NotesRepair {
  /** Notes that were written again. */
  readonly restored: number
  /** Commits whose notes are lost. */
  readonly lost: readonly string[]
  /** Nothing was readable, so the ref was removed. */
  readonly isRemoved: boolean
}

const PAGE = 200
const MOST_HELD = 8 * 1024 * 1024

interface Damaged {
  readonly ref: string
  readonly state: RefState
}

/**
 * Rewrites the notes of a ref from its latest readable version, from older versions for the gaps, and from the store's
 * cache. Undefined if another process moved the ref meanwhile.
 */
export async function repairNotes(
  context: Context,
  repository: Repository,
  damaged: Damaged,
): Promise<NotesRepair | undefined> {
  const { ref, state } = damaged
  using writer = new ObjectWriter(repository, objectFormat(repository))
  if (state.kind === 'damaged') await moveDamagedAway(repository, state.value)
  const sources = await findSources(context, repository, damaged)
  const mender = new NotesMender(repository, sources, writer)
  for await (const { commit, records } of copiedNotes(context, ref)) {
    await mender.mend(commit, records)
  }
  for (const commit of sources.notes.keys()) await mender.mend(commit, [])
  const to = mender.isEmpty ? undefined : await mender.write(context.now())
  if (state.kind === 'commit' && to !== undefined) {
    const move = { ref, to, from: state.id, why: 'waymark doctor' }
    if ((await moveRef(repository, move)) !== 'moved') return undefined
  } else {
    await replaceRef(repository, { ref, to, at: context.now() })
  }
  return { restored: mender.restored, lost: mender.lost, isRemoved: mender.isEmpty }
}

/** The readable notes in Git. */
interface Sources {
  /** The version that is built upon. */
  readonly base: CommitId | undefined
  /** Whether that is the present tip of the ref; its readable notes are then authoritative. */
  readonly isCurrent: boolean
  readonly notes: ReadonlyMap<CommitId, readonly string[]>
  readonly older: readonly NotesTree[]
}

async function findSources(
  { store }: Context,
  repository: Repository,
  { ref, state }: Damaged,
): Promise<Sources> {
  const current = state.kind === 'commit' ? state.id : undefined
  const known = [current, await store.annotations.tipOf(ref), ...olderVersions(repository, ref)]
  const versions = [...new Set(known.filter((id) => id !== undefined))]
  for (const [at, base] of versions.entries()) {
    const notes = await ifWhole(repository, () => new NotesTree(repository, base).all())
    // The reflog of a symbolic ref has commits of a branch, which contain no notes.
    if (notes === undefined || (notes.size === 0 && base !== current)) continue
    const older = versions.slice(at + 1).map((id) => new NotesTree(repository, id))
    return { base, isCurrent: base === current, notes, older }
  }
  return { base: undefined, isCurrent: false, notes: new Map(), older: [] }
}

/** Undefined when a tree cannot be read. */
async function ifWhole<T>(repository: Repository, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof BrokenTree)) throw error
    if (error.object !== undefined) await moveDamagedAway(repository, error.object)
    return undefined
  }
}

/** The notes that the store has a copy of, in the order of their commits. */
async function* copiedNotes(
  { store, signal }: Context,
  ref: string,
): AsyncGenerator<{ readonly commit: CommitId; readonly records: readonly AnnotationRecord[] }> {
  for (let last: CommitId | undefined; ;) {
    const rows = await store.annotations.after(ref, last, PAGE)
    if (rows.length === 0) return
    signal.throwIfAborted()
    for (const commit of new Set(rows.map((row) => row.commit))) {
      const own = rows.filter((row) => row.commit === commit)
      yield { commit, records: own.map(({ record }) => record) }
      last = commit
    }
  }
}

/** Puts the notes together, one after the other. */
class NotesMender {
  readonly #repository: Repository
  readonly #sources: Sources
  readonly #writer: ObjectWriter
  readonly #tree: NotesTree
  readonly #done = new Set<string>()
  readonly lost: string[] = []
  restored = 0

  constructor(repository: Repository, sources: Sources, writer: ObjectWriter) {
    this.#repository = repository
    this.#sources = sources
    this.#writer = writer
    this.#tree = new NotesTree(repository, sources.base)
  }

  /** Nothing of any note is left. */
  get isEmpty(): boolean {
    return this.#done.size === this.lost.length
  }

  async mend(commit: CommitId, records: readonly AnnotationRecord[]): Promise<void> {
    if (this.#done.has(commit)) return
    this.#done.add(commit)
    const blobs = this.#sources.notes.get(commit) ?? []
    const note = blobs.length === 0 ? 'missing' : await this.#readNote(blobs)
    // A note that exceeds a bound is there, though it is not read.
    if (note !== 'missing' && (this.#sources.isCurrent || 'problem' in note)) return
    const found = note === 'missing' ? undefined : note.body
    const body = found ?? (blobs.length === 0 ? undefined : await this.#readOlder(commit))
    const lacking = documentsNotIn(body ?? '', records)
    const next = lacking.length === 0 ? body : addToNoteBody(body, lacking)
    if (next === found && next !== undefined) return
    if (next === undefined) {
      this.lost.push(commit)
      await this.#tree.remove(commit)
      return
    }
    this.restored += 1
    await this.#tree.put(commit, this.#writer.add('blob', next))
    if (this.#writer.addedBytes > MOST_HELD) await this.#writer.flush()
  }

  /** Answers the commit that leads to all of them. */
  async write(at: number): Promise<string> {
    const { base } = this.#sources
    const isWhole = base !== undefined && (await hasHistory(this.#repository, base))
    await this.#tree.pruneAside(async (blob) => (await this.#readNote([blob])) !== 'missing')
    const authorship = { author: 'waymark', message: 'Repair annotations', at }
    const tree = await this.#tree.write(this.#writer)
    const commit = this.#writer.add(
      'commit',
      toNotesCommit(tree, isWhole ? [base] : [], authorship),
    )
    await this.#writer.flush()
    return commit
  }

  async #readNote(blobs: readonly string[]): Promise<NoteText> {
    const note = await readBlobs(this.#repository, blobs.join(' '))
    if (note === 'missing') {
      for (const blob of blobs) await moveDamagedAway(this.#repository, blob)
    }
    return note
  }

  async #readOlder(commit: CommitId): Promise<string | undefined> {
    for (const tree of this.#sources.older) {
      const blobs = await ifWhole(this.#repository, () => tree.find(commit))
      if (blobs === undefined || blobs.length === 0) continue
      const note = await this.#readNote(blobs)
      if (note !== 'missing' && 'body' in note) return note.body
    }
    return undefined
  }
}

/** Those of the copied records that a note does not have, or not with all their corrections. */
function documentsNotIn(
  body: string,
  records: readonly AnnotationRecord[],
): readonly RecordDocument[] {
  const present = new Map(
    foldById(parseNoteBody(body).documents).flatMap((document) => {
      const record = toRecord(document)
      return record === undefined ? [] : [[record.id, countCorrections(record)] as const]
    }),
  )
  return records
    .filter((record) => (present.get(record.id) ?? -1) < countCorrections(record))
    .map(toDocument)
}

function countCorrections({ regions }: AnnotationRecord): number {
  return regions.reduce((sum, { corrections }) => sum + corrections.length, 0)
}
