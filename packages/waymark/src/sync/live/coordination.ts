import { join, relative } from 'node:path'
import type { Context } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import type { Remotes } from '../../git/remote/remotes.ts'
import type { Repository } from '../../git/repository.ts'
import { openSideRepository } from '../../git/side-repository.ts'
import { withFileLock } from '../../support/files/file-lock.ts'
import { findRemote, type Remote } from '../remote/remote.ts'
import { UNATTENDED } from '../remote/remote-knowledge.ts'
import type { LiveRemote } from './live-remote.ts'

/** The remote that grants claims. */
export interface Coordinator {
  readonly repository: Repository
  readonly remote: Remote
}

/** How long a claim waits for other processes of this clone. */
const LONGEST_WAIT_MS = 20_000

/** The remote that grants claims; undefined where this clone does. `known`: the remotes, if they were read already. */
export async function findCoordinator(
  context: Context,
  known?: Remotes,
): Promise<Coordinator | undefined> {
  const { coordination, code, store } = context
  if (coordination === 'local' || code === undefined) return undefined
  const isAsked = coordination === 'git'
  if (!isAsked) {
    // Only where the project is synced already, with a remote that accepts what is pushed.
    const { isShared, refusal } = await store.replica.pushState.get()
    if (!isShared || refusal !== null || (await store.leases.shared.state()).refusal !== null)
      return undefined
  }
  try {
    const repository = await code.repository()
    if (relative(repository.layout().commonDir, repository.stateDir) !== 'waymark') return undefined
    const remotes = known ?? (await repository.remotes())
    const remote = findRemote(remotes, undefined, { notesRefs: [], onlyNamed: true })
    if (remote !== undefined && !remote.isReadOnly) return { repository, remote }
  } catch (error) {
    if (isAsked || !(error instanceof Failure)) throw error
    return undefined
  }
  if (!isAsked) return undefined
  throw new Failure(
    'conflict',
    'coordination is git, and there is no remote to push to; add one, or set coordination to local',
    { details: { reason: 'no_coordinator' } },
  )
}

/**
 * Runs `work` with access to the register. Processes of this clone take turns, so that they do not compete at the
 * remote.
 */
export async function withLive<T>(
  context: Context,
  { repository, remote }: Coordinator,
  work: (live: LiveRemote) => Promise<T>,
): Promise<T> {
  const folder = join(repository.stateDir, 'live')
  return await withFileLock(`${folder}.lock`, LONGEST_WAIT_MS, async (lock) => {
    if (lock === undefined) {
      throw new Failure('busy', 'other agents of this clone are claiming tasks; try again')
    }
    await using side = openSideRepository(repository, folder)
    const { name, access, remoteLiveRef: ref } = remote
    const { signal } = context
    return await work({ name, access, ref, repository, side, signal, variables: UNATTENDED })
  })
}
