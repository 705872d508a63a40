import { OWNER_ID } from '../../../agent/agent.ts'
import type { Change } from '../../../core/change.ts'
import type { EntityRow } from '../../../entity/store.ts'
import { isClosed, type TaskStatus } from '../../task.ts'
import type { ForeignLease } from '../shared/store.ts'
import { toTitle } from '../../../support/text/visible-text.ts'
import type { EntityId } from '../../../entity/entity-id.ts'

/**
 * After this much time without a change of the task, a holder in another clone no longer keeps others from it. A time
 * that far in the future comes from a wrong clock and counts like one in the past.
 */
export const SILENT_AFTER_MS = 24 * 60 * 60 * 1000

/** Name and clone: `claude-code (Kim Lee) @3f2a1c9d`. A property of tasks in progress, so that other clones see it. */
const CLONE = /^ @([0-9a-f]{8})$/

/** Undefined for a text that is no holder. */
function parseHolder(holder: string) {
  const clone = CLONE.exec(holder.slice(-10))?.[1]
  const who = holder.slice(0, -10)
  if (clone === undefined || who === '') return undefined
  const at = who.endsWith(')') ? who.indexOf(' (', 1) : -1
  const person = at === -1 ? '' : who.slice(at + 2, -1)
  return person === '' ? { name: who, clone } : { name: who.slice(0, at), person, clone }
}

/** Who holds a task in other clones, as far as their changes have arrived. */
export interface HeldElsewhere {
  /** Names, each with the person whose clone it is. */
  readonly by: readonly string[]
  /** When the task was last changed, in milliseconds since 1970. */
  readonly since: number
  /** No change for so long that the task is offered again. */
  readonly isSilent: boolean
  /** The remote knows the lease: until when it lasts, in milliseconds since 1970. */
  readonly until?: number
  /** It was closed there, which has not arrived here yet. */
  readonly isClosed?: true
}

/** What tells who holds a task in other clones. */
export interface Elsewhere {
  readonly ownClone: string
  readonly now: number
  /** Leases of other clones by task, as the remote had them. */
  readonly foreign: ReadonlyMap<EntityId, ForeignLease>
  /** Clones all of whose leases the remote knows. */
  readonly clones: ReadonlySet<string>
}

/** How other clones see an agent of this one. */
export async function toHolder(
  { agents, leases }: Pick<Change, 'agents' | 'leases'>,
  name: string,
): Promise<string> {
  const person = (await agents.byId(OWNER_ID))?.name ?? name
  return toHolderText(name, person === name ? '' : person, await leases.ownClone())
}

/** Undefined if no other clone holds the task. */
export function heldElsewhere(
  row: EntityRow,
  { ownClone, now, foreign, clones }: Elsewhere,
): HeldElsewhere | undefined {
  const shared = row.type === 'task' ? foreign.get(row.id) : undefined
  const isKnown = shared?.isClosed === true && isClosed({ status: row.status as TaskStatus })
  if (shared !== undefined && !isKnown) return toHeldElsewhere(shared)
  const by = withoutClone(row, ownClone)
    .filter((holder) => !clones.has(parseHolder(holder)?.clone ?? ''))
    .map(toHolderName)
  if (by.length === 0) return undefined
  const { updatedAt: since } = row
  return { by, since, isSilent: Math.abs(now - since) >= SILENT_AFTER_MS }
}

export function toHeldElsewhere(lease: ForeignLease): HeldElsewhere {
  const { holder, grantedAt, heldUntil, isClosed } = lease
  const by = [toHolderName(holder)]
  const shared = { by, since: grantedAt, isSilent: false }
  return isClosed ? { ...shared, isClosed } : { ...shared, until: heldUntil }
}

/** The text of a holder, as `holders` of a task has it. */
export function toHolderText(agent: string, person: string, clone: string): string {
  return `${agent}${person === '' ? '' : ` (${person})`} @${clone}`
}

/** The holders of other clones. */
export function withoutClone(row: EntityRow, clone: string): readonly string[] {
  return holdersOf(row).filter((holder) => parseHolder(holder)?.clone !== clone)
}

export function holdersOf({ type, properties: { holders } }: EntityRow): readonly string[] {
  if (type !== 'task' || !Array.isArray(holders)) return []
  return holders.filter(
    (holder) => typeof holder === 'string' && parseHolder(holder) !== undefined,
  ) as string[]
}

/** `claude-code (Kim Lee)`, for a sentence. */
export function toHolderName(holder: string): string {
  const { name = holder, person } = parseHolder(holder) ?? {}
  return person === undefined ? toTitle(name) : `${toTitle(name)} (${toTitle(person)})`
}
