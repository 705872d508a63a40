import type { Context } from './context.ts'
import { callerId } from '../agent/agent.ts'

/** Shortest time between two updates of an agent's `seenAt`. */
const EVERY_MS = 60_000

/** How long a read waits for the write lock. */
const PATIENCE_MS = 250

/**
 * Updates `seenAt` of a caller that only reads: at most once a minute, only for agents that have joined, and not in
 * read-only mode.
 */
export async function touchCaller(context: Context): Promise<void> {
  const { store, agent, access } = context
  const id = agent.assumed === true || access.readOnly ? undefined : callerId(agent)
  const known = id === undefined ? undefined : await store.agents.byId(id)
  if (known === undefined) return
  // `seenAt` is in the store's time, which may be ahead of this machine's clock.
  const now = context.now() < known.seenAt ? await store.now(context) : context.now()
  if (now - known.seenAt < EVERY_MS) return
  try {
    await store.write(
      async (tx) => {
        await tx.agents.touch(known.id, await tx.now(context))
      },
      { signal: AbortSignal.timeout(PATIENCE_MS) },
    )
  } catch {
    // Best effort: the next read tries again.
  }
}
