/**
 * How much time lies between two readings of the clock. One that was set back in between counts as time that has passed:
 * otherwise whoever waits for a moment would wait until the clock is there again.
 */
export function toElapsed(since: number, now: number): number {
  return Math.abs(now - since)
}
