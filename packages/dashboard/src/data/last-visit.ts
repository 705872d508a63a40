import { pageBase } from './project-path.ts'

/** A shorter absence is the same visit. */
const ABSENCE_MS = 30 * 60_000
const TICK_MS = 60_000

const key = `waymark.visit${pageBase()}`

/** When this page was last looked at before now; undefined on the first visit, and when that was just before. */
export const lastVisit = read()

/** Remembers that the page is looked at, while it is. */
export function startVisit(): void {
  const note = (): void => {
    if (!document.hidden) localStorage.setItem(key, String(Date.now()))
  }
  note()
  setInterval(note, TICK_MS)
}

function read(): number | undefined {
  const kept = Number(localStorage.getItem(key) ?? Number.NaN)
  return kept < Date.now() - ABSENCE_MS ? kept : undefined
}
