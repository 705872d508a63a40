import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import type { Repository } from '../git/repository.ts'
import { toGitFailure } from '../git/run.ts'
import type { Remote } from './remote/remote.ts'
import { UNATTENDED } from './remote/remote-knowledge.ts'

/** Shortest and longest time between two looks at the remote; longest after failures. */
const SOON_MS = 3_000
const LATE_MS = 60_000
const FAILED_MS = 5 * 60_000
const LONGEST_LOOK_MS = 20_000

export interface Watched {
  readonly repository: Repository
  readonly remote: Remote
  /** Exchanges everything once. */
  sync(): Promise<void>
}

/**
 * Keeps this clone current until the call is cancelled: looks at the refs of the remote every few seconds, less often
 * while nothing happens, and syncs when they moved or something was written here.
 */
export async function keepCurrent(context: Context, watched: Watched): Promise<void> {
  const { signal, logger } = context
  let pause = SOON_MS
  let known: string | undefined
  let isFailing = false
  while (!signal.aborted) {
    try {
      const tips = await lookAt(context, watched)
      const hasNews = tips !== known || (await hasOutgoing(context))
      if (hasNews) await watched.sync()
      // As they were before: what moved during the sync is looked at again.
      known = tips
      pause = hasNews ? SOON_MS : Math.min(pause * 1.5, LATE_MS)
      isFailing = false
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      // Once, not with every attempt.
      if (!isFailing) logger.warn(`${error.message}; trying again`)
      isFailing = true
      pause = Math.min(pause * 2, FAILED_MS)
    }
    // Clones that were started together do not stay in step.
    await sleep(pause * (0.8 + 0.4 * Math.random()), undefined, { signal }).catch(() => undefined)
  }
}

/** What the remote's refs point to, in one round trip that fetches nothing. */
async function lookAt({ signal }: Context, { repository, remote }: Watched): Promise<string> {
  const { access, remoteLogRef, remoteLiveRef, notes } = remote
  const refs = [remoteLogRef, remoteLiveRef, ...notes.map(({ there }) => there)]
  const args = ['ls-remote', '--quiet', '--refs', '--', access.name, ...refs]
  const result = await repository.reach(args, access.fetch(), {
    signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_LOOK_MS)]),
    extraVariables: UNATTENDED,
  })
  if (result.exitCode !== 0) throw toGitFailure(result, access.hint)
  return result.stdout
}

async function hasOutgoing({ store }: Context): Promise<boolean> {
  return (await store.replica.countOutgoing()) > 0
}
