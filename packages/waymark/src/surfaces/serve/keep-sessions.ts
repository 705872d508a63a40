import { BEAT_MS } from '../../agent/session/session.ts'
import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import type { Store, StoreTransaction } from '../../core/store/store.ts'
import { isTraceable, thisProcess } from '../../support/process-identity.ts'

/** How long the end of the process waits for the write lock. Without it, others look for the process. */
const PATIENCE_MS = 1000

type Mark = (tx: StoreTransaction, at: number) => Promise<void>

/**
 * Ends the sessions of this process when it is disposed, so that the next session of the host can continue as the same
 * agent at once. Until then, gives a sign of life where other processes cannot look for this one.
 */
export function keepSessions(findStores: () => Promise<readonly Store[]>): AsyncDisposable {
  const name = thisProcess()
  const timer = isTraceable()
    ? undefined
    : setInterval(
        () => void markAll(findStores, (tx, at) => tx.agentSessions.touchProcess(name, at)),
        BEAT_MS,
      ).unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await markAll(findStores, (tx, at) => tx.agentSessions.endProcess(name, at))
    },
  }
}

async function markAll(findStores: () => Promise<readonly Store[]>, mark: Mark): Promise<void> {
  const stores = (await findStores()).filter(({ sessionAgents }) => sessionAgents.size > 0)
  await Promise.allSettled(
    stores.map((store) =>
      store.write(async (tx) => mark(tx, await tx.now(MACHINE_CLOCK)), {
        signal: AbortSignal.timeout(PATIENCE_MS),
      }),
    ),
  )
}
