import type { Context } from '../../context.ts'
import { foldById, parseNoteBody } from '../../domain/code/note-body.ts'
import { type AnnotationRecord, toRecord } from '../../domain/code/record.ts'
import { toAnnotationDocument } from '../../domain/code/search-text.ts'
import {
  changedNotes,
  findBlobs,
  listNotes,
  notesTip,
  readBlobs,
} from '../../git/notes/read-notes.ts'
import type { Repository } from '../../git/repository.ts'
import type { NoteCopy } from '../../store/annotations.ts'
import type { StoreTransaction } from '../../store/store.ts'

/** How many notes are taken over in one transaction, so that others get their turn. */
const CHUNK = 200

/** Longer notes are not ours: other tools keep whole conversations in theirs. */
const LARGEST_NOTE = 4 * 1024 * 1024

type Nouns = Pick<StoreTransaction, 'annotations' | 'search'>

/** The commits whose notes have changed. */
type Changes = ReadonlySet<string>

/**
 * Brings the store's copy of a notes ref up to date. The copy knows the commit of the ref that it was made of: nothing
 * is done if that is still the tip, only what changed is read if it is an older one, and everything is compared if
 * the two have nothing to do with each other. Blobs that were not there are looked for again.
 */
export async function copyNotes(
  context: Context,
  repository: Repository,
  ref: string,
): Promise<void> {
  for (;;) {
    const [tip, known] = await Promise.all([
      notesTip(repository, ref),
      context.store.annotations.tipOf(ref),
    ])
    if (tip === known) return await readMissing(context, repository, ref)
    if (tip === undefined) return await forget(context, ref)
    const changes = await changesSince(repository, known, tip)
    const done =
      known !== undefined && changes !== undefined && changes.size <= CHUNK
        ? await follow(context, { repository, ref, known, tip, changes })
        : await rebuild(context, { repository, ref, tip })
    if (done) return
  }
}

/** The same for whoever has just written notes, which stay even if the call is told to stop: the next question copies them. */
export async function copyWritten(
  context: Context,
  repository: Repository,
  ref: string,
): Promise<void> {
  try {
    await copyNotes(context, repository, ref)
  } catch (error) {
    if (!context.signal.aborted) throw error
  }
}

async function changesSince(
  repository: Repository,
  known: string | undefined,
  tip: string,
): Promise<Changes | undefined> {
  const present = known !== undefined && (await repository.objects.info(known)) !== undefined
  return present ? await changedNotes(repository, known, tip) : undefined
}

interface Step {
  readonly repository: Repository
  readonly ref: string
  readonly known: string
  readonly tip: string
  readonly changes: Changes
}

/** Takes over a few changes and the new tip at once; false if another process was faster. */
async function follow(
  context: Context,
  { repository, ref, known, tip, changes }: Step,
): Promise<boolean> {
  const found = await Promise.all(
    [...changes].map(async (commit) => {
      return [commit, (await findBlobs(repository, tip, commit)) ?? null] as const
    }),
  )
  const notes = await readNotes(repository, found)
  return await context.store.write(async (tx) => {
    if ((await tx.annotations.tipOf(ref)) !== known) return false
    for (const note of notes) await put(tx, ref, note)
    await tx.annotations.setTip(ref, tip)
    return true
  }, context)
}

/** A try with a remote that is away takes long, and every question would have to wait for it. */
const PAUSE_FACTOR = 10
const nextTries = new WeakMap<Repository, number>()

/** Reads again what was not here when it was copied: a blob can come back, and the tip is then still the same. */
async function readMissing(context: Context, repository: Repository, ref: string): Promise<void> {
  const missing = await context.store.annotations.missingOf(ref)
  const began = performance.now()
  if (missing.size === 0 || began < (nextTries.get(repository) ?? 0)) return
  const notes = await readNotes(repository, [...missing])
  const now = performance.now()
  nextTries.set(repository, now + PAUSE_FACTOR * (now - began))
  const found = notes.filter(({ isMissing }) => isMissing !== true)
  if (found.length === 0) return
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

/** Compares what was copied with what there is, in chunks; the tip is set only if in the end both are the same. */
async function rebuild(
  context: Context,
  { repository, ref, tip }: Pick<Step, 'repository' | 'ref' | 'tip'>,
): Promise<boolean> {
  const wanted = await listNotes(repository, tip)
  await context.store.write((tx) => tx.annotations.beginCopy(ref), context)
  const different = difference(await context.store.annotations.blobsOf(ref), wanted)
  for (let at = 0; at < different.length; at += CHUNK) {
    const notes = await readNotes(repository, different.slice(at, at + CHUNK))
    await context.store.write(async (tx) => {
      for (const note of notes) await put(tx, ref, note)
    }, context)
  }
  return await context.store.write(async (tx) => {
    if (difference(await tx.annotations.blobsOf(ref), wanted).length > 0) return false
    await tx.annotations.setTip(ref, tip)
    return true
  }, context)
}

async function forget(context: Context, ref: string): Promise<void> {
  await context.store.write(async (tx) => {
    await tx.annotations.beginCopy(ref)
    for (const commit of (await tx.annotations.blobsOf(ref)).keys()) {
      await put(tx, ref, { commit, blob: null, records: [], unreadable: 0 })
    }
  }, context)
}

/** Drops the copy of one note; it is copied again when somebody asks for annotations. */
export async function dropNote(tx: Nouns, ref: string, commit: string): Promise<void> {
  await tx.annotations.beginCopy(ref)
  await put(tx, ref, { commit, blob: null, records: [], unreadable: 0 })
}

async function put(tx: Nouns, ref: string, note: NoteCopy): Promise<void> {
  const { removed } = await tx.annotations.replaceNote(ref, note)
  for (const id of removed) await tx.search.remove('annotation', id)
  for (const record of note.records) await tx.search.put(toAnnotationDocument(record, note.commit))
}

function difference(
  copied: ReadonlyMap<string, string>,
  wanted: ReadonlyMap<string, string>,
): readonly (readonly [string, string | null])[] {
  const changed = [...wanted].filter(([commit, blob]) => copied.get(commit) !== blob)
  const gone = [...copied.keys()].filter((commit) => !wanted.has(commit))
  return [...changed, ...gone.map((commit) => [commit, null] as const)]
}

function readNotes(
  repository: Repository,
  changes: readonly (readonly [string, string | null])[],
): Promise<readonly NoteCopy[]> {
  return Promise.all(
    changes.map(async ([commit, blob]): Promise<NoteCopy> => {
      if (blob === null) return { commit, blob, records: [], unreadable: 0 }
      const body = await readBlobs(repository, blob, LARGEST_NOTE)
      if (body === undefined) {
        const infos = await repository.objects.infos(blob.split(' '))
        return { commit, blob, isMissing: infos.includes(undefined), records: [], unreadable: 1 }
      }
      return { commit, blob, ...readRecords(body) }
    }),
  )
}

function readRecords(body: string): Pick<NoteCopy, 'records' | 'unreadable'> {
  const { documents, unreadable } = parseNoteBody(body)
  const records = foldById(documents).map(toRecord)
  const understood = records.filter((record): record is AnnotationRecord => record !== undefined)
  const superseded = new Set(understood.flatMap(({ supersedes }) => supersedes))
  return {
    records: understood.filter(({ id }) => !superseded.has(id)),
    unreadable: unreadable.length + records.length - understood.length,
  }
}
