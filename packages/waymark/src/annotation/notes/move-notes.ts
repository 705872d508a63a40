import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../core/error.ts'
import { combinePacks } from '../../git/objects/combine-packs.ts'
import { toCommitText } from '../../git/objects/commit/commit-text.ts'
import { objectFormat } from '../../git/objects/object-format.ts'
import { ObjectWriter } from '../../git/objects/object-writer.ts'
import { lockedRef, type Moved, moveRef } from '../../git/refs/move-ref.ts'
import { refTip } from '../../git/refs/ref-tip.ts'
import type { Repository } from '../../git/repository.ts'
import { withFileLock } from '../../support/files/file-lock.ts'
import { NotesTree } from './notes-tree.ts'
import { readingTree } from './read-notes.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

/** Who is named as the writer of the notes' own history. */
export interface Authorship {
  readonly author: string
  readonly message: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** What becomes of the note of a commit: its new text, or the blob that has it. */
export type NoteChange = {
  readonly commit: CommitId
  /** Versions of it that are not read, and shall stay reachable. */
  readonly aside?: readonly string[]
} & ({ readonly body: string } | { readonly blob: string })

interface NotesMove extends Authorship {
  readonly ref: string
  /** A second parent, when another history of the notes is merged into this one. */
  readonly mergeOf?: string
  /** What has the blobs that were written beforehand. */
  readonly prepared?: ObjectWriter
}

/** Says what is to be changed in the notes as they are now. Called again when they have changed meanwhile. */
type Plan = (tree: NotesTree, tip: CommitId | undefined) => Promise<readonly NoteChange[]>

const PATIENCE_MS = 20_000
const LOCK_PATIENCE_MS = 10_000
const LONGEST_PAUSE_MS = 500

/** The ref moves only if it is still where it was read; otherwise everything is planned again. */
export async function moveNotes(
  repository: Repository,
  move: NotesMove,
  plan: Plan,
): Promise<void> {
  const lock = join(repository.stateDir, 'notes.lock')
  using writer = new ObjectWriter(repository, objectFormat(repository))
  await withFileLock(lock, LOCK_PATIENCE_MS, async () => {
    const deadline = performance.now() + PATIENCE_MS
    for (let tries = 1; ; tries += 1) {
      const outcome = await attempt(repository, { ...move, writer }, plan)
      if (outcome === 'moved') break
      if (performance.now() > deadline) {
        throw outcome === 'locked' ? lockedRef(repository, move.ref) : outrun(move.ref)
      }
      // A lock that stays is looked at less and less often: each look starts a git.
      await sleep(Math.min(5 * tries, LONGEST_PAUSE_MS) * (0.5 + Math.random()))
    }
    const packs = [writer, move.prepared].flatMap((each) => each?.release() ?? [])
    await combinePacks(repository, packs)
  })
}

interface Attempt extends NotesMove {
  readonly writer: ObjectWriter
}

async function attempt(repository: Repository, move: Attempt, plan: Plan): Promise<Moved> {
  const { ref, writer, mergeOf, message: why } = move
  const tip = await refTip(repository, ref)
  const tree = new NotesTree(repository, tip)
  const changes = await readingTree(ref, async () => {
    const planned = await plan(tree, tip)
    for (const change of planned) {
      const blob = 'blob' in change ? change.blob : writer.add('blob', change.body)
      await tree.put(change.commit, blob)
      for (const aside of change.aside ?? []) await tree.putAside(change.commit, aside)
    }
    return planned
  })
  if (changes.length === 0 && mergeOf === undefined) return 'moved'
  const parents = [tip, mergeOf].filter((parent) => parent !== undefined)
  const to = writer.add('commit', toNotesCommit(await tree.write(writer), parents, move))
  await writer.flush()
  const outcome = await moveRef(repository, { ref, to, from: tip, why })
  return outcome === 'moved' ? await verify(repository, move, { from: tip, to }) : outcome
}

/** Better the notes as they were than a ref that leads to nothing: what was deleted at once is written again. */
async function verify(
  repository: Repository,
  { ref, writer, prepared, message: why }: Attempt,
  { from, to }: { readonly from: string | undefined; readonly to: string },
): Promise<Moved> {
  const isPrepared = prepared?.isIntact() ?? true
  if (writer.isIntact() && isPrepared) return 'moved'
  writer.release()
  if (from === undefined) await repository.run(['update-ref', '--no-deref', '-d', ref, to])
  else await moveRef(repository, { ref, to: from, from: to, why })
  if (isPrepared) return 'behind'
  throw new Failure(
    'storage_unavailable',
    `the objects written for ${ref} were deleted from the object store; nothing was changed, try again`,
  )
}

export function toNotesCommit(
  tree: string,
  parents: readonly string[],
  { author, at, message }: Authorship,
): string {
  const name = author.replaceAll(/[<>\p{C}]/gu, ' ').trim()
  return toCommitText({ tree, parents, who: `${name === '' ? 'waymark' : name} <>`, at, message })
}

function outrun(ref: string): Failure {
  return new Failure('busy', `other processes keep writing to ${ref}; try again`)
}
