// Starting a process copies the page tables of the one that starts it: at 400 MB of memory it takes ten times as long as
// at 100 MB. Tests start tens of thousands of them, so a worker that has grown collects its garbage after each file.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll } from 'vitest'

/** A little more than a worker needs that has loaded the sources. */
const LARGE_BYTES = 160 * 1024 ** 2

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void

afterAll(() => {
  if (process.memoryUsage.rss() > LARGE_BYTES) collect()
})
