import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Context } from '../../core/context.ts'
import { kindOf } from '../../support/files/git-dirs.ts'
import { NOTICED_FILE } from '../../hook/annotation-scripts.ts'
import type { Commit } from '../../git/commits.ts'
import type { PendingNote } from '../pending-store.ts'
import { change } from '../../core/change.ts'
import type { Carry } from '../rewrite/carry-over.ts'
import type { Code } from './open-code.ts'

const noticed = z.object({
  sources: z.array(z.string()),
  /** What was checked out then. */
  head: z.string(),
  operation: z.enum(['squash', 'cherry_pick']).default('squash'),
})

/** Git names what the next commit will be made of in files that are gone once it is made. */
export async function noticeSources(context: Context, { repository, head }: Code): Promise<void> {
  const { gitDir } = repository.layout()
  const squashed = await squashedInto(gitDir)
  // A rebase tells at its end what it picked.
  const picked = isRebasing(gitDir) ? undefined : await pickedNow(gitDir)
  const found = [
    ...(squashed.length > 0 ? [{ sources: squashed, operation: 'squash' }] : []),
    ...(picked === undefined ? [] : [{ sources: [picked], operation: 'cherry_pick' }]),
  ]
  if (found.length > 0) await markNoticed(gitDir)
  await change(context, async (change) => {
    // Only the last attempt at a commit can become one: what was noticed for those before it was given up.
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

/** Lets the hook ask us about the next commit too, which is another one if this one is given up. */
async function markNoticed(gitDir: string): Promise<void> {
  // It may be there already. Where it cannot be, what was noticed is still worth more than nothing.
  await writeFile(join(gitDir, NOTICED_FILE), '', { flag: 'wx' }).catch(() => undefined)
}

async function unmarkNoticed(gitDir: string): Promise<void> {
  await rm(join(gitDir, NOTICED_FILE), { force: true })
}

/** A new commit, and how git says that it was made. */
export interface MadeCommit {
  readonly commit: Commit
  readonly action: string | undefined
}

interface Sources {
  readonly carries: readonly Carry[]
  /** What was noticed before the commit, to be forgotten once all of this is carried over. */
  readonly noticed: readonly number[]
}

/** What a new commit was made of, as far as it was noticed or can be seen still. */
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
    // A squash or a pick that was given up must not give its sources to whatever is committed next.
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

/** A rebase picks one commit after the other. */
function isRebasing(gitDir: string): boolean {
  return kindOf(join(gitDir, 'rebase-merge')) !== undefined
}

/** `git merge --squash` leaves a list of the commits. */
async function squashedInto(gitDir: string): Promise<readonly string[]> {
  const message = await readFile(join(gitDir, 'SQUASH_MSG'), 'utf8').catch(() => '')
  return [...message.matchAll(/^commit ([0-9a-f]{40,64})$/gm)].map(([, id = '']) => id)
}

/** While a cherry-pick runs, git keeps the name of what is picked. */
async function pickedNow(gitDir: string): Promise<string | undefined> {
  const text = await readFile(join(gitDir, 'CHERRY_PICK_HEAD'), 'utf8').catch(() => '')
  return /^[0-9a-f]{40,64}$/.exec(text.trim())?.[0]
}

function pickedAccordingTo({ message }: Commit): string | undefined {
  return /\(cherry picked from commit ([0-9a-f]{40,64})\)/.exec(message)?.[1]
}
