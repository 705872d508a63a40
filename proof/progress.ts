import type { Verdict } from './run.ts'

/** So often at most where lines stay, as in the log of a build. */
const EVERY_SECONDS = 15
let shownAt = 0

/** One line about how far a proof has come: rewritten on a terminal, now and then a new one elsewhere. */
export function showProgress({ id, tried, goal, unit, seconds }: Verdict): void {
  if (goal === 0) return
  const line = `${id}: ${tried} of ${goal} ${unit}, ${seconds.toFixed(0)} s`
  if (process.stdout.isTTY) {
    process.stdout.write(`\r\u001B[K${line} `)
    return
  }
  const now = performance.now() / 1000
  if (now - shownAt < EVERY_SECONDS) return
  shownAt = now
  process.stdout.write(`\n  ${line} `)
}
