import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Context } from '../../core/context.ts'
import { kindOf } from '../../support/files/worktree/git-dirs.ts'
import type { Repository } from '../../git/repository.ts'
import { demandHooks } from '../../hook/kinds.ts'
import { NOTICED_FILE } from '../../hook/scripts.ts'
import type { Commit } from '../../git/history/commits.ts'
import type { PendingNote } from '../pending-store.ts'
import { change } from '../../core/change.ts'
import type { Carry } from '../rewrite/carry-over.ts'
import type { Code } from './open-code.ts'
import { type CommitId, toCommitId } from '../../git/history/commit-id.ts'

const noticed = z.object({
  sources: z.array(z.string().brand<'CommitId'>()),
  /** What was checked out then. */
  head: z.string().brand<'CommitId'>(),
  operation: z.enum(['squash', 'cherry_pick']).default('squash'),
})

/** Records the sources of the next commit: git names them in files that it deletes after the commit. */
export async function noticeSources(context: Context, { repository, head }: Code): Promise<void> {
  const { gitDir } = repository.layout()
  const squashed = await squashedInto(gitDir)
  // The post-rewrite hook reports what a rebase picked.
  const picked = isRebasing(gitDir) ? undefined : await pickedNow(gitDir)
  const found = [
    ...(squashed.length > 0 ? [{ sources: squashed, operation: 'squash' }] : []),
    ...(picked === undefined ? [] : [{ sources: [picked], operation: 'cherry_pick' }]),
  ]
  if (found.length > 0) await markNoticed(repository)
  await change(context, async (change) => {
    // Only the last attempt can become a commit; drop the sources recorded for aborted ones.
    const earlier = (await change.pendingNotes.of(gitDir)).filter(isSource)
    await change.pendingNotes.remove(earlier.map(({ id }) => id))
    if (head === undefined) return
    for (const each of found) {
      await change.pendingNotes.insert({
        worktree: gitDir,
        kind: 'squash',
        content: { ...each, head: head.id },
        at: change.stamp.at,
        author: context.agent.name,
      })
    }
  })
  if (found.length === 0) await unmarkNoticed(gitDir)
}

/** Makes the hook run for the next attempt too, in case this one is aborted. */
async function markNoticed(repository: Repository): Promise<void> {
  const file = join(repository.layout().gitDir, NOTICED_FILE)
  // The file may exist already. If it cannot be written, the recorded sources are still useful.
  await writeFile(file, '', { flag: 'wx' }).catch(() => undefined)
  await demandHooks(repository.root).catch(() => undefined)
}

async function unmarkNoticed(gitDir: string): Promise<void> {
  await rm(join(gitDir, NOTICED_FILE), { force: true })
}

/** A new commit, and the reflog action that created it. */
export interface MadeCommit {
  readonly commit: Commit
  readonly action: string | undefined
}

interface Sources {
  readonly carries: readonly Carry[]
  /** Rows recorded before the commit, to be deleted once the annotations are copied. */
  readonly noticed: readonly number[]
}

/** The source commits of a new commit, as recorded before it or still visible in the Git folder. */
export async function findSources(
  context: Context,
  { repository }: Code,
  { commit, action }: MadeCommit,
): Promise<Sources> {
  const { gitDir } = repository.layout()
  const notes = (await context.store.pendingNotes.of(gitDir)).filter(isSource)
  const ids = notes.map(({ id }) => id)
  const carries = notes
    .map(({ content }) => noticed.parse(content))
    // An aborted squash or cherry-pick must not pass its sources on to the next commit.
    .filter(({ head, operation }) => {
      const isMade = operation === 'squash' || action === undefined || PICKS.has(action)
      return isMade && commit.parents.includes(head)
    })
    .flatMap(({ sources, operation }) =>
      sources.map((from): Carry => ({ from, to: commit.id, operation })),
    )
  const picked = (await pickedNow(gitDir)) ?? pickedAccordingTo(commit)
  if (picked === undefined || carries.some(({ from }) => from === picked))
    return { carries, noticed: ids }
  const operation = isRebasing(gitDir) ? 'rebase' : 'cherry_pick'
  return { carries: [...carries, { from: picked, to: commit.id, operation }], noticed: ids }
}

export async function forgetSources(
  context: Context,
  { repository }: Code,
  { noticed }: Sources,
): Promise<void> {
  if (noticed.length === 0) return
  await change(context, (change) => change.pendingNotes.remove(noticed))
  await unmarkNoticed(repository.layout().gitDir)
}

function isSource({ kind }: PendingNote): boolean {
  return kind === 'squash'
}

const PICKS: ReadonlySet<string> = new Set(['cherry-pick', 'commit (cherry-pick)'])

/** A rebase picks commit after commit. */
function isRebasing(gitDir: string): boolean {
  return kindOf(join(gitDir, 'rebase-merge')) !== undefined
}

/** `git merge --squash` leaves a list of the commits. */
async function squashedInto(gitDir: string): Promise<readonly string[]> {
  const message = await readFile(join(gitDir, 'SQUASH_MSG'), 'utf8').catch(() => '')
  return [...message.matchAll(/^commit ([0-9a-f]{40,64})$/gm)].map(([, id = '']) => id)
}

/** While a cherry-pick runs, git keeps the id of the picked commit. */
async function pickedNow(gitDir: string): Promise<CommitId | undefined> {
  const text = await readFile(join(gitDir, 'CHERRY_PICK_HEAD'), 'utf8').catch(() => '')
  const [id] = /^[0-9a-f]{40,64}$/.exec(text.trim()) ?? []
  return id === undefined ? undefined : toCommitId(id)
}

function pickedAccordingTo({ message }: Commit): CommitId | undefined {
  const [, id] = /\(cherry picked from commit ([0-9a-f]{40,64})\)/.exec(message) ?? []
  return id === undefined ? undefined : toCommitId(id)
}
