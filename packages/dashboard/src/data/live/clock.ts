import { signal } from '@preact/signals'

/** Ticks once a second while the page is visible; only parts that show time read it. */
export const now = signal(Date.now())

/** How far the server's clock is ahead of this one. */
let ahead = 0

export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now() + ahead
  }, 1000)
}

/** Leases are counted down by the server's clock. */
export function setServerTime(serverNow: number): void {
  ahead = serverNow - Date.now()
  now.value = serverNow
}
