import { sha256 } from '../sha256.ts'

const MINUTE = 60_000

/** Silent for so long, an agent counts as idle, then as offline. */
export const IDLE_AFTER_MS = 15 * MINUTE
export const OFFLINE_AFTER_MS = 60 * MINUTE

export const PRESENCES = ['active', 'idle', 'offline'] as const
export type Presence = (typeof PRESENCES)[number]

export interface Sighting {
  /** Milliseconds since 1970. */
  readonly seenAt: number
  readonly leftAt: number | null
}

export function presenceOf({ seenAt, leftAt }: Sighting, now: number): Presence {
  if (leftAt !== null) return 'offline'
  const silence = now - seenAt
  if (silence < IDLE_AFTER_MS) return 'active'
  return silence < OFFLINE_AFTER_MS ? 'idle' : 'offline'
}

/** A new agent's id, made of the last, random digits of a UUID. */
export function toAgentId(uuid: string): string {
  return `A${uuid.replaceAll('-', '').slice(-8).toUpperCase()}`
}

/** The id of a caller: that of its connection, or that of its name. */
export function callerId({
  id,
  name,
}: {
  readonly id?: string
  readonly name: string | null
}): string | undefined {
  return id ?? (name === null ? undefined : agentIdOf(name))
}

/** The id of whoever goes by this name: the same in every process, so that one command's claim is the next one's. */
export function agentIdOf(name: string): string {
  return `A${sha256(name).slice(0, 8).toUpperCase()}`
}

/** Stands for whoever has proved who they are. Long enough that nobody finds a name with somebody else's. */
export function ownerIdOf(principal: string): string {
  return `A${sha256(`principal ${principal}`).slice(0, 16).toUpperCase()}`
}

/** The id of one of an owner's agents; `part` tells them apart. */
export function ownedAgentId(owner: string, part: string): string {
  return `${owner}-${sha256(part).slice(0, 8).toUpperCase()}`
}

/** What agents can be called, at most. */
const LONGEST_NAME = 100

/**
 * A name that somebody chose, with the one that was proved: whatever is chosen, nobody is called as somebody else is.
 * For that the chosen part must not look like the other.
 */
export function withProvedName(chosen: string, proved: string): string {
  const room = Math.max(0, LONGEST_NAME - proved.length - ' ()'.length)
  const shown = chosen
    .slice(0, room)
    .replaceAll(/[()\p{C}]/gu, '')
    .trim()
  return shown === '' || shown === proved ? proved : `${shown} (${proved})`
}

/** Whoever has proved who they are acts as their own agents and nobody else's. */
export function mayActAs(
  agent: { readonly id?: string; readonly name: string | null; readonly owner?: string },
  named: string,
): boolean {
  const { owner } = agent
  return owner === undefined || named === callerId(agent) || named.startsWith(`${owner}-`)
}
