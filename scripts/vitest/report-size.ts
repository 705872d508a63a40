// Node 20 starts a process by fork, which copies the page tables of the worker: with 400 MB of memory it takes several
// times as long as with 100 MB. Tests start tens of thousands of processes, so a worker that has grown is replaced.
import { writeFileSync } from 'node:fs'
import { afterAll } from 'vitest'

/** Half as much again as a worker needs that has loaded the sources. */
const LARGE_BYTES = 200 * 1024 ** 2
const sign = process.env['LARGE_WORKER_SIGN']

afterAll(() => {
  if (sign !== undefined && process.memoryUsage.rss() > LARGE_BYTES) writeFileSync(sign, '')
})
