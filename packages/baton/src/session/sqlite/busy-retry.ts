const SQLITE_BUSY = 5

/** How long to wait for other processes before giving up. */
const PATIENCE_MS = 10_000

/**
 * Repeats a step while another process holds the lock. SQLite's own busy handler would block the event loop, and its
 * growing pauses let one process starve the others; short random pauses here do neither.
 */
export async function retryWhileBusy<T>(step: () => T): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return step()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error
    }
    await pause(1 + Math.random() * 9)
  }
}

/** Extended codes such as SQLITE_BUSY_RECOVERY carry the plain one in their low byte. */
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
