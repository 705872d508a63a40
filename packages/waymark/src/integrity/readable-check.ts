import type { Context } from '../core/context.ts'
import type { UnreadableRow } from './store.ts'
import { findBlobs, readBlobs } from '../annotation/notes/read-notes.ts'
import { readRef } from '../git/refs/ref-state.ts'
import type { Repository } from '../git/repository.ts'
import type { UnreadNote } from '../annotation/store.ts'
import { copyNotes, dropNote } from '../annotation/notes/copy-notes.ts'
import { FIX, type IndexCheck } from './index-check.ts'
import type { CommitId } from '../git/history/commit-id.ts'

const SHOWN = 10
const BATCH_SIZE = 200

/** Remedies for a row that only a backup can restore. */
const OTHERWISE: Readonly<Partial<Record<UnreadableRow['kind'], string>>> = {
  event: 'read events from behind it on: `waymark event list`, with its number as the cursor',
  'pending note': 'forget what was said for the next commit: `waymark code context-clear`',
  answer: 'wait for a day, after which answers are forgotten',
}

/** Annotations are stored in Git; the store only caches them. */
export async function checkNotes(context: Context, repair: boolean): Promise<IndexCheck> {
  const name = 'annotations'
  const { consistency, annotations } = context.store
  const damaged = await consistency.unreadableNotes()
  if (damaged.length === 0) return toUnreadCheck(name, await annotations.unread())
  const message = `the copies of ${damaged.length} notes cannot be read`
  if (!repair) return { name, status: 'failed', message, fix: FIX }
  await copyAgain(context, damaged)
  const left = (await consistency.unreadableNotes()).length
  if (left === 0) return { name, status: 'warning', message: `${message}; copied again from Git` }
  return {
    name,
    status: 'failed',
    message: `${message}; ${left} of them cannot be read in Git either`,
    fix: 'get them from a remote that has them (waymark sync), then repair again',
  }
}

/** Only notes that Git still has: otherwise the damaged cache entry may be all that is left. */
async function copyAgain(
  context: Context,
  damaged: readonly { readonly ref: string; readonly commit: CommitId }[],
): Promise<void> {
  const repository = await context.code?.repository()
  if (repository === undefined) return
  for (const ref of new Set(damaged.map((note) => note.ref))) {
    const commits = damaged.filter((note) => note.ref === ref).map(({ commit }) => commit)
    for (let at = 0; at < commits.length; at += BATCH_SIZE) {
      const readable = await readableIn(repository, ref, commits.slice(at, at + BATCH_SIZE))
      await context.store.write(async (tx) => {
        for (const commit of readable) await dropNote(tx, ref, commit)
      })
    }
    await copyNotes(context, repository, ref)
  }
}

async function readableIn(
  repository: Repository,
  ref: string,
  commits: readonly CommitId[],
): Promise<readonly CommitId[]> {
  const state = await readRef(repository, ref)
  if (state.kind !== 'commit') return []
  const readable: CommitId[] = []
  for (const [commit, blobs] of await findBlobs(repository, { ref, tip: state.id }, commits)) {
    const note = blobs === null ? 'missing' : await readBlobs(repository, blobs)
    if (typeof note !== 'string') readable.push(commit)
  }
  return readable
}

function toUnreadCheck(name: string, unread: readonly UnreadNote[]): IndexCheck {
  if (unread.length === 0) return { name, status: 'ok', message: 'every annotation can be read' }
  const named = unread
    .slice(0, SHOWN)
    .map(({ ref, commit, blob }) => `${ref} ${commit.slice(0, 12)} (${blob.slice(0, 12)})`)
  return {
    name,
    status: 'warning',
    message: `${unread.length} notes are not read, or not all of them; they stay in Git as they are: ${named.join(', ')}`,
    fix: 'git notes --ref <ref> show <commit> shows what is there',
  }
}

/** Checks rows that have no second copy in the store: an unreadable one fails every read and needs a backup. */
export async function checkReadable({ store }: Context): Promise<IndexCheck> {
  const name = 'readable'
  const damaged = await store.consistency.unreadable()
  if (damaged.length === 0) return { name, status: 'ok', message: 'every row can be read' }
  const named = damaged.slice(0, SHOWN).map(({ kind, ref }) => `${kind} ${ref}`)
  const others = new Set(damaged.flatMap(({ kind }) => OTHERWISE[kind] ?? []))
  return {
    name,
    status: 'failed',
    message: `${damaged.length} rows cannot be read: ${named.join(', ')}`,
    fix: ['restore the database from a backup, which alone has them', ...others].join(', or '),
  }
}
