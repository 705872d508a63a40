import { createHash } from 'node:crypto'
import type { EntityId } from '../../entity/entity-id.ts'

/** A change as it is applied: what it changes, in JSON, by whom and when (milliseconds since 1970). */
export interface AppliedChange {
  readonly at: number
  readonly by: string | null
  readonly change: string
}

/**
 * The author id of a change's operations. It follows from the change and from the version it is applied to, so that
 * copies of one folder which both do this write the same operations, not twins.
 */
export function peerFor(
  entityId: EntityId,
  version: readonly { readonly counter: number; readonly peer: string }[],
  { at, by, change }: AppliedChange,
): `${number}` {
  const heads = version.map(({ counter, peer }) => `${counter}@${peer}`).toSorted()
  const identity = JSON.stringify([entityId, heads, at, by, change])
  const digest = createHash('sha256').update(identity).digest()
  // The maximum value is reserved as "no peer"; clearing the top bit avoids it.
  return `${digest.readBigUInt64BE() >> 1n}` as `${number}`
}
