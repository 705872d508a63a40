import type { Brand } from '../support/brand.ts'
import { sha256 } from '../support/hash/sha256.ts'
import { firstCharacters, toStorable } from '../support/text/visible-text.ts'

const MINUTE = 60_000

/** After this much silence an agent counts as idle, then as offline. */
export const IDLE_AFTER_MS = 15 * MINUTE
export const OFFLINE_AFTER_MS = 60 * MINUTE

/** `gone`: its session has ended a short time ago, and the next one of the same host may continue as this agent. */
export const PRESENCES = ['active', 'idle', 'gone', 'offline'] as const
export type Presence = (typeof PRESENCES)[number]
/** What silence says of an agent. */
export type Silence = Exclude<Presence, 'gone'>
/** Presences of agents that have not gone offline. */
export const ONLINE = ['active', 'idle'] as const satisfies readonly Silence[]

/** A sighting is not recorded again within this time: each record is written to disk. */
const SIGHTING_MS = 1000

/** Whether a sighting at `seenAt` still stands for one at this time. */
export function isRecent(seenAt: number, at: number): boolean {
  return seenAt <= at && at - seenAt < SIGHTING_MS
}

export interface Sighting {
  /** Milliseconds since 1970. */
  readonly seenAt: number
  readonly leftAt: number | null
}

export function presenceOf({ seenAt, leftAt }: Sighting, now: number): Silence {
  if (leftAt !== null) return 'offline'
  const silence = now - seenAt
  if (silence < IDLE_AFTER_MS) return 'active'
  return silence < OFFLINE_AFTER_MS ? 'idle' : 'offline'
}

/** Names an agent, or the person; not what others call it. */
export type AgentId = Brand<string, 'AgentId'>

/** An id as a caller, a credential or another clone spells it. */
export function toAgentId(text: string): AgentId {
  return text as AgentId
}

/** A new agent's id, made of the last, random digits of a UUID. */
export function newAgentId(uuid: string): AgentId {
  return toAgentId(`A${uuid.replaceAll('-', '').slice(-8).toUpperCase()}`)
}

/** Id of the person whose project it is. Derived ids begin with an A, so no agent can have it. */
export const OWNER_ID = toAgentId('owner')

/** Stands for a caller without an identity; it holds nothing. */
export const NO_AGENT = toAgentId('')

interface Caller {
  readonly id?: AgentId
  readonly name: string | null
  readonly surface: string
  readonly assumed?: boolean
  readonly host?: string
}

/** The id of a caller: the owner's for a person, else that of its connection, or that of its name. */
export function callerId(caller: Caller): AgentId | undefined {
  if (isPerson(caller)) return OWNER_ID
  const { id, name } = caller
  return id ?? (name === null ? undefined : agentIdOf(name))
}

/**
 * Whether the person calls whose project it is: in a session of the page, or at the command line without an actor and
 * not in a shell that an agent runs. No name is a proof: a client may call itself anything.
 */
export function isPerson({
  surface,
  assumed,
  host,
}: Pick<Caller, 'surface' | 'assumed' | 'host'>): boolean {
  if (surface === 'page') return true
  return surface === 'cli' && assumed === true && host === undefined
}

/** Whether a name or an id stands for the person. */
export function namesOwner(text: string): boolean {
  return text.trim().toLowerCase() === OWNER_ID
}

/** Agent id derived from a name: the same in every process, so that a later command can use an earlier one's claim. */
export function agentIdOf(name: string): AgentId {
  return toAgentId(`A${sha256(name).slice(0, 8).toUpperCase()}`)
}

/** Owner id of an authenticated principal. 64 bits, so that a colliding name cannot be searched for. */
export function ownerIdOf(principal: string): AgentId {
  return toAgentId(`A${sha256(`principal ${principal}`).slice(0, 16).toUpperCase()}`)
}

/** The id of one of an owner's agents; `part` tells them apart. */
export function ownedAgentId(owner: string, part: string): AgentId {
  return toAgentId(`${owner}-${sha256(part).slice(0, 8).toUpperCase()}`)
}

/** Maximum length of an agent name, in characters. */
const LONGEST_NAME = 100

/** Normalises an agent name from a client, a setting or another clone for storage. */
export function toAgentName(name: string): string {
  return firstCharacters(toStorable(name), LONGEST_NAME)
}

/**
 * A chosen name followed by the authenticated one in brackets, so that no choice impersonates another agent. Brackets
 * in the chosen part are removed for the same reason.
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

/** Display name of an agent. An authenticated owner's name is appended and cannot be replaced. */
export function nameOfAgent(
  owner: { readonly name: string | null; readonly proved?: boolean },
  chosen: string,
): string {
  if (owner.proved !== true || owner.name === null) return chosen
  // Of the owner's own name only the subject is proved; it stands in brackets if there is more.
  const subject = /\(([^()]+)\)$/.exec(owner.name)?.[1] ?? owner.name
  return withProvedName(chosen, subject)
}

/** Only the person may act as the owner; an authenticated caller may act only as agents that it owns. */
export function mayActAs(agent: Caller & { readonly owner?: string }, named: string): boolean {
  if (named === OWNER_ID) return isPerson(agent)
  const { owner } = agent
  return owner === undefined || named === callerId(agent) || named.startsWith(`${owner}-`)
}
