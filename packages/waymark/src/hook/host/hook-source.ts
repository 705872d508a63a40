import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import type { Remote } from '../../core/remote.ts'
import type { ReservedFiles } from './before-edit.ts'
import type { HookStore } from './hook-store.ts'
import type { FoundAgent, HookPlace } from './session-agent.ts'
import { shortReply, type StoreEvent } from './short-reply.ts'
import { sha256 } from '../../support/hash/sha256.ts'
import { findLocks } from '../../task/lock/find-locks.ts'

/** What hooks ask and tell: the store of the clone, or the team server that it has joined. */
export interface HookSource {
  /** What agents other than the one of the hook have reserved. */
  reserved(): Promise<readonly ReservedFiles[]>
  reply(event: StoreEvent, paths: readonly string[]): Promise<string | undefined>
}

export function ownSource(
  store: HookStore,
  { now }: HookPlace,
  { agent, own }: FoundAgent,
): HookSource {
  return {
    reserved: async () =>
      (await findLocks(store, now))
        .filter(({ lease }) => !own.has(lease.agentId))
        .map(({ pattern, lease, task }) => ({
          pattern,
          holder: lease.agentName ?? lease.agentId,
          task,
          grantedAt: lease.grantedAt,
          expiresAt: lease.expiresAt,
        })),
    reply: async (event, paths) =>
      agent === undefined
        ? undefined
        : await shortReply(store, MACHINE_CLOCK, { event, agent, paths }),
  }
}

/** A host waits for its hooks, so they give up on a server that does not answer. */
const PATIENCE_MS = 1500

export function joinedSource(
  send: Remote['call'],
  { host, actor }: HookPlace,
  { agent, own }: FoundAgent,
): HookSource {
  // As `remoteName` calls the agent of commands that the host runs.
  const name = agent?.id ?? (own.size > 0 ? undefined : (actor ?? host))
  const call = async (operation: string, input: object, idempotencyKey?: string) =>
    await send({
      operation,
      input,
      agent: name,
      idempotencyKey,
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
  return {
    reserved: async () => {
      const { reserved } = (await call('task.reserved', {})) as { reserved: readonly Reserved[] }
      const marks = [...own].map((id) => `-${sha256(`agent ${id}`).slice(0, 8).toUpperCase()}`)
      return reserved
        .filter(({ agent_id }) => !marks.some((mark) => agent_id.endsWith(mark)))
        .map(toReservedFiles)
    },
    reply: async (event, paths) => {
      if (name === undefined) return undefined
      const answer = await call('agent.hook', { event, paths }, crypto.randomUUID())
      const { text } = answer as { text?: string }
      return text
    },
  }
}

/** As the operation `task.reserved` answers. */
interface Reserved {
  readonly agent_id: string
  readonly agent_name?: string
  readonly task: { readonly number: number; readonly title: string }
  readonly pattern: string
  readonly granted_at?: string
  readonly expires_at: string
}

function toReservedFiles({ pattern, task, agent_id, ...one }: Reserved): ReservedFiles {
  return {
    pattern,
    task,
    holder: one.agent_name ?? agent_id,
    grantedAt: one.granted_at === undefined ? undefined : Date.parse(one.granted_at),
    expiresAt: Date.parse(one.expires_at),
  }
}
