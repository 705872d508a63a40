import { signal } from '@preact/signals'

/** Times on the page are at most so old; a tick draws each of them. */
const TICK_MS = 5000

/** Ticks while the page is visible; only parts that show time read it. */
export const now = signal(Date.now())

/** How far the server's clock is ahead of this one. */
let ahead = 0

export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now() + ahead
  }, TICK_MS)
}

/** Leases are counted down by the server's clock. */
export function setServerTime(serverNow: number): void {
  ahead = serverNow - Date.now()
  now.value = serverNow
}
