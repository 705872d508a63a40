import { setTimeout as pause } from 'node:timers/promises'
import type { Remote } from '../../core/remote.ts'
import type { Logger } from '../../support/logger.ts'

/** A command brings an older copy up to date before it ends; a server does so as often. */
const COMMAND_MS = 10 * 60_000
const SERVER_MS = 60_000
/** How long a command waits for that. */
const PATIENCE_MS = 3000

interface Kept {
  readonly state: string
  readonly remote: Remote
  readonly logger: Logger
}

/** After a command that has reached the server: what is read offline is then at most so old as the last such command. */
export async function refreshAfterCommand({ state, remote, logger }: Kept): Promise<void> {
  await refresh({ state, remote, logger }, COMMAND_MS, AbortSignal.timeout(PATIENCE_MS))
}

/** Keeps the copy of a joined clone up to date while a server runs. */
export function startCopying(kept: Kept): AsyncDisposable {
  const stop = new AbortController()
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await refresh(kept, SERVER_MS, stop.signal)
      await pause(SERVER_MS, undefined, { signal: stop.signal, ref: false }).catch(() => {})
    }
  }
  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

/** A server that is away, or whose role does not allow it, is no reason to fail. */
async function refresh(
  { state, remote, logger }: Kept,
  olderThanMs: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { refreshCopy } = await import('../../sync/transfer/copy.ts')
    await refreshCopy(state, remote, { logger, signal, olderThanMs })
  } catch (error) {
    if (!signal.aborted)
      logger.debug('the copy for offline use was not brought up to date', { error })
  }
}
