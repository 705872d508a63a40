import { line, own, printForAgent, titled } from '../../core/show.ts'
import type { ReadStore } from '../../core/store/store.ts'
import { realPathNow } from '../../support/files/link-walker.ts'
import { openNamedPlaces } from '../../support/files/named-places.ts'
import { describeDuration } from '../../support/text/duration.ts'
import { findLocks, isCovered, locate, type Lock } from '../../task/lock/find-locks.ts'

interface Edit {
  readonly paths: readonly string[]
  /** Agents that may be the one that edits. */
  readonly own: ReadonlySet<string>
  readonly root: string
  readonly now: number
}

/** Why these files must not be changed now, if another agent has reserved one of them. */
export async function refuseEdit(
  store: Pick<ReadStore, 'leases' | 'entities'>,
  { paths, own: self, root, now }: Edit,
): Promise<string | undefined> {
  if (paths.length === 0) return undefined
  const locks = (await findLocks(store, now)).filter(({ lease }) => !self.has(lease.agentId))
  if (locks.length === 0) return undefined
  const places = openNamedPlaces(root, realPathNow)
  for (const path of paths) {
    const place = await locate(places, path)
    const lock = place && locks.find(({ pattern }) => isCovered(place, places.expand(pattern)))
    if (lock !== undefined) return explain(place?.path ?? path, lock, now)
  }
  return undefined
}

function explain(path: string, { lease, task }: Lock, now: number): string {
  const holder = titled(lease.agentName ?? lease.agentId)
  const since = own(describeDuration(now - lease.grantedAt))
  const left = own(describeDuration(lease.expiresAt - now))
  return printForAgent([
    line`${path} is reserved: ${holder} holds #${task.number} ${titled(task.title)} since ${since}, for ${left} more unless renewed.`,
    line`Do other work first, or agree with ${holder} in a message (message_send, or waymark message send).`,
  ])
}
