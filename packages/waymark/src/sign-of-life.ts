import type { Context } from './context.ts'
import { callerId } from './domain/agent.ts'

/** More often than this is no news. */
const EVERY_MS = 60_000

/** A reader does not wait for writers longer than this. */
const PATIENCE_MS = 250

/**
 * Whoever only reads is there too. Written down at most once a minute, for agents that have joined, and never where
 * nothing may be written.
 */
export async function signOfLife(context: Context): Promise<void> {
  const { store, agent, access } = context
  const id = agent.assumed === true || access.readOnly ? undefined : callerId(agent)
  const known = id === undefined ? undefined : await store.agents.byId(id)
  if (known === undefined) return
  // What was written down is of the store's clock, which may be ahead of this machine's.
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
    // Nobody asked for it, so nobody is told that it could not be written; the next call tries again.
  }
}
