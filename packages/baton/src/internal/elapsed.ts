/**
 * Milliseconds between two readings of the wall clock. If the clock was set back in between, the difference counts as
 * elapsed time; otherwise a cooldown would last until the clock reaches its old time again.
 */
export function toElapsed(since: number, now: number): number {
  return Math.abs(now - since)
}
