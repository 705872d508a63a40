import { setTimeout as sleep } from 'node:timers/promises'
import { OWNER_ID } from '../agent/agent.ts'
import type { Context } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import type { Repository } from '../git/repository.ts'
import { MOST_QUESTIONS } from '../message/carried/carry.ts'
import type { Remote } from './remote/remote.ts'
import { UNATTENDED } from './remote/remote-knowledge.ts'
import { readTips } from './remote/remote-tips.ts'

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
      if (signal.aborted) return
      if (!(error instanceof Failure)) throw error
      // Once, not with every attempt.
      if (!isFailing) logger.warn(`${error.message}; trying again`)
      isFailing = true
      pause = Math.min(pause * 2, FAILED_MS)
    }
    // Clones that were started together do not stay in step.
    const waiting = pause * (0.8 + 0.4 * Math.random())
    if (isFailing) await rest(waiting, signal)
    else await untilWritten(context, waiting)
  }
}

/** Waits, but not longer than until something is written here that other clones should have. */
async function untilWritten(context: Context, waiting: number): Promise<void> {
  const { signal, store } = context
  const end = performance.now() + waiting
  while (!signal.aborted && performance.now() < end) {
    const written = new AbortController()
    const unwatch = store.watch(() => written.abort())
    await rest(end - performance.now(), AbortSignal.any([signal, written.signal]))
    unwatch()
    if (!written.signal.aborted || !(await hasOutgoing(context))) continue
    // What is written together is sent together.
    return await rest(SOON_MS / 2, signal)
  }
}

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined)
}

/** What the remote's refs point to. */
async function lookAt({ signal }: Context, { repository, remote }: Watched): Promise<string> {
  const time = AbortSignal.timeout(LONGEST_LOOK_MS)
  const patient = { signal: AbortSignal.any([signal, time]), extraVariables: UNATTENDED }
  const tips = await readTips(repository, remote, patient).catch((error: unknown) => {
    if (signal.aborted || !time.aborted) throw error
    throw new Failure('timeout', `${remote.name} did not answer`)
  })
  return [...tips].join('\n')
}

/** Whether something was written here that other clones should have. */
async function hasOutgoing({ store }: Context): Promise<boolean> {
  if ((await store.replica.countOutgoing()) > 0) return true
  const { readAt, failedAt, refusal } = await store.leases.shared.state()
  // Where the register cannot be written, only a sync for another reason tries again.
  if (readAt === null || failedAt !== null || refusal !== null) return false
  const owner = await store.agents.byId(OWNER_ID)
  return (owner?.name ?? '') !== '' && (await store.carried.hasNews(MOST_QUESTIONS))
}
