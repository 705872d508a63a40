const SQLITE_BUSY = 5

/** How long to retry before the error is thrown. */
const RETRY_FOR_MS = 10_000

/**
 * Retries a step while another process holds the lock. SQLite's busy handler would block the event loop, and its growing
 * delays can starve a process; short random delays do neither.
 */
export async function retryWhileBusy<T>(step: () => T): Promise<T> {
  const giveUpAt = performance.now() + RETRY_FOR_MS
  for (;;) {
    try {
      return step()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error
    }
    await pause(1 + Math.random() * 9)
  }
}

/** Extended codes such as SQLITE_BUSY_RECOVERY have the primary code in their low byte. */
function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    (error.errcode & 0xff) === SQLITE_BUSY
  )
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
