import { sha256 } from '../support/sha256.ts'
import { firstCharacters, toStorable } from '../support/text/storable-text.ts'

const MINUTE = 60_000

/** Silent for so long, an agent counts as idle, then as offline. */
export const IDLE_AFTER_MS = 15 * MINUTE
export const OFFLINE_AFTER_MS = 60 * MINUTE

export const PRESENCES = ['active', 'idle', 'offline'] as const
export type Presence = (typeof PRESENCES)[number]
/** The presences of those who are not gone. */
export const ONLINE = ['active', 'idle'] as const satisfies readonly Presence[]

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

/** Whether a person calls: at the command line, where no agent has said which one it is. */
export function isPerson({
  surface,
  assumed,
}: {
  readonly surface: string
  readonly assumed?: boolean
}): boolean {
  return surface === 'cli' && assumed === true
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

/** A name as it is kept, from whatever a client, a setting or another clone calls an agent. */
export function toAgentName(name: string): string {
  return firstCharacters(toStorable(name), LONGEST_NAME)
}

/**
 * A name that somebody chose, with the one that was proved: whatever is chosen, nobody is called as somebody else is.
 * For that the chosen part must not look like the other.
 */
export function withProvedName(chosen: string, proved: string): string {
  const mark = ` (${proved})`
  const bare = chosen.endsWith(mark) ? chosen.slice(0, -mark.length) : chosen
  const shown = bare
    .slice(0, Math.max(0, LONGEST_NAME - mark.length))
    .replaceAll(/[()\p{C}]/gu, '')
    .trim()
  return shown === '' || shown === proved ? proved : `${shown}${mark}`
}

/** What an agent is called that its owner calls so. A proved name can be added to, and not exchanged. */
export function nameOfAgent(
  owner: { readonly name: string | null; readonly proved?: boolean },
  chosen: string,
): string {
  if (owner.proved !== true || owner.name === null) return chosen
  // Of the owner's own name only the subject is proved; it stands in brackets if there is more.
  const subject = /\(([^()]+)\)$/.exec(owner.name)?.[1] ?? owner.name
  return withProvedName(chosen, subject)
}

/** Whoever has proved who they are acts as their own agents and nobody else's. */
export function mayActAs(
  agent: { readonly id?: string; readonly name: string | null; readonly owner?: string },
  named: string,
): boolean {
  const { owner } = agent
  return owner === undefined || named === callerId(agent) || named.startsWith(`${owner}-`)
}
