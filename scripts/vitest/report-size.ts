// Node 20 starts a process by fork, which copies the page tables of the worker: with 400 MB of memory it takes several
// times as long as with 100 MB. Tests start tens of thousands of processes, so a worker that has grown is replaced.
import { writeFileSync } from 'node:fs'
import { afterAll } from 'vitest'

/**
 * A new worker costs a second of CPU: it loads the sources again and compiles them again while they run. With a limit of
 * 200 MB tests took 3 to 11 % more CPU, though each process that they start costs half a millisecond less.
 */
const LARGE_BYTES = 320 * 1024 ** 2
const sign = process.env['LARGE_WORKER_SIGN']

afterAll(() => {
  if (sign !== undefined && process.memoryUsage.rss() > LARGE_BYTES) writeFileSync(sign, '')
})
