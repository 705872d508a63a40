import { callerId, type AgentId } from '../../agent/agent.ts'
import type { Context, ReadContext } from '../context.ts'

/** Shortest time between two updates of an agent's `seenAt`. */
const EVERY_MS = 60_000

/** How long a read waits for the write lock. */
const PATIENCE_MS = 250

/** Notes that the caller was seen: at most once a minute, and only for agents that have joined. */
export async function noteCaller(context: ReadContext): Promise<void> {
  const { store, agent, access } = context
  const id = agent.assumed === true || access.readOnly ? undefined : callerId(agent)
  const known = id === undefined ? undefined : await store.agents.byId(id)
  if (known === undefined) return
  // `seenAt` is in the store's time, which may be ahead of this machine's clock.
  const now = context.now() < known.seenAt ? await store.now(context) : context.now()
  if (now - known.seenAt >= EVERY_MS) context.upkeep.later('callerSeen', known.id)
}

export async function touchCaller(context: Context, agentId: AgentId): Promise<void> {
  await context.store.write(
    async (tx) => {
      await tx.agents.touch(agentId, await tx.now(context))
    },
    { signal: AbortSignal.timeout(PATIENCE_MS) },
  )
}
