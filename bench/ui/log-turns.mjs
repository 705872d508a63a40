// Loaded into the server that is measured: writes down how much processor time turns of its event loop take, which does not
// depend on how busy the machine is. Only Linux tells it. SIGUSR2 begins and ends it: looking is work too.
import { appendFileSync, readFileSync } from 'node:fs'

const path = process.env['BENCH_TURNS']
const LOOK_EVERY_MS = 5
/** Shorter ones are not worth the writing. */
const LONG_MS = 4
/** A turn that is long on purpose: whoever does not find it cannot say that there was no other. */
const PLANTED_MS = 60
const PLANT_AFTER_MS = 50

if (path !== undefined && process.platform === 'linux') {
  let timer
  process.on('SIGUSR2', () => {
    if (timer !== undefined) {
      clearInterval(timer)
      timer = undefined
      return
    }
    let last = processorTime()
    timer = setInterval(() => {
      const looked = processorTime()
      if (looked - last >= LONG_MS) appendFileSync(path, `${Date.now()} ${looked - last}\n`)
      last = looked
    }, LOOK_EVERY_MS)
    timer.unref()
    setTimeout(() => spin(PLANTED_MS), PLANT_AFTER_MS).unref()
  })
}

/** Milliseconds of the main thread, in nanosecond steps: those of `stat` are too coarse for one turn. */
function processorTime() {
  const [used] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')
  return Number(used) / 1e6
}

function spin(milliseconds) {
  const end = processorTime() + milliseconds
  while (processorTime() < end);
}
