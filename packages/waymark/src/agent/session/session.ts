import { hasEnded, runs } from '../../support/process-identity.ts'
import type { AgentId } from '../agent.ts'

/** The session that acts as an agent, or did last. */
export interface AgentSession {
  readonly agentId: AgentId
  /** Names the session: a connection over stdio, or a session over HTTP. */
  readonly session: string
  /** As the client calls itself. */
  readonly host: string
  /** As others call the agent: the host, with a number if other sessions of it are there. */
  readonly name: string
  /** The authenticated owner; empty if there is none. */
  readonly owner: string
  /** Top folder of the working tree that it works in; empty if there is none. */
  readonly worktree: string
  /** The process that ends with the session; null if none does, as over HTTP. */
  readonly process: string | null
  /** Whether it gives a sign of life every `BEAT_MS`. */
  readonly beats: boolean
  /** Milliseconds since 1970. */
  readonly seenAt: number
  readonly endedAt: number | null
}

/** How often a session gives a sign of life where other processes cannot look for its process. */
export const BEAT_MS = 20_000

/** A session that should have given a sign of life and has not done so for this long has ended. */
const SILENCE_MS = 3 * BEAT_MS

/** Whether the session has ended: it said so, its process has, or its signs of life have stopped. */
export function isGone(
  { endedAt, process, beats, seenAt }: Omit<AgentSession, 'agentId'>,
  now: number,
): boolean {
  if (endedAt !== null) return true
  if (process === null || runs(process)) return false
  return hasEnded(process) || (beats && now - seenAt > SILENCE_MS)
}

/** The first free one of `claude-code`, `claude-code-2`, `claude-code-3` … */
export function toFreeName(host: string, taken: ReadonlySet<string>): string {
  let name = host
  for (let number = 2; taken.has(name); number += 1) name = `${host}-${number}`
  return name
}
