// Starting a process copies the page tables of the one that starts it: at 400 MB of memory it takes ten times as long as
// at 100 MB. Tests start tens of thousands of them, so a worker that has grown is replaced by a new one.
import { writeFileSync } from 'node:fs'
import { afterAll } from 'vitest'

/** Half as much again as a worker needs that has loaded the sources. */
const LARGE_BYTES = 200 * 1024 ** 2
const sign = process.env['LARGE_WORKER_SIGN']

afterAll(() => {
  if (sign !== undefined && process.memoryUsage.rss() > LARGE_BYTES) writeFileSync(sign, '')
})
