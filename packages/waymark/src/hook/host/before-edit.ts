import { line, own, printForAgent, titled } from '../../core/show.ts'
import { realPathNow } from '../../support/files/link-walker.ts'
import { openNamedPlaces } from '../../support/files/named-places.ts'
import { describeDuration } from '../../support/text/duration.ts'
import { isCovered, locate } from '../../task/lock/find-locks.ts'

interface Edit {
  readonly paths: readonly string[]
  readonly root: string
  readonly now: number
}

/** Files that another agent has reserved. */
export interface ReservedFiles {
  readonly pattern: string
  readonly holder: string
  readonly task: { readonly number: number; readonly title: string }
  /** Milliseconds since 1970; undefined where the server does not tell. */
  readonly grantedAt: number | undefined
  readonly expiresAt: number
}

/** Why these files must not be changed now, if another agent has reserved one of them. */
export async function refuseEdit(
  reserved: readonly ReservedFiles[],
  { paths, root, now }: Edit,
): Promise<string | undefined> {
  if (paths.length === 0 || reserved.length === 0) return undefined
  const places = openNamedPlaces(root, realPathNow)
  for (const path of paths) {
    const place = await locate(places, path)
    const lock = place && reserved.find(({ pattern }) => isCovered(place, places.expand(pattern)))
    if (lock !== undefined) return explain(place?.path ?? path, lock, now)
  }
  return undefined
}

function explain(path: string, lock: ReservedFiles, now: number): string {
  const { task, grantedAt, expiresAt } = lock
  const holder = titled(lock.holder)
  const since =
    grantedAt === undefined ? undefined : line` since ${own(describeDuration(now - grantedAt))}`
  const left = own(describeDuration(expiresAt - now))
  return printForAgent([
    line`${path} is reserved: ${holder} holds #${task.number} ${titled(task.title)}${since}, for ${left} more unless renewed.`,
    line`Do other work first, or agree with ${holder} in a message (message_send, or waymark message send).`,
  ])
}
