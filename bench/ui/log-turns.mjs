// Loaded into the server that is measured: writes down each turn of its event loop that took much processor time, which does not
// depend on how busy the machine is. Only Linux tells it. SIGUSR2 begins and ends it: looking is work too.
import { appendFileSync, readFileSync } from 'node:fs'

const path = process.env['BENCH_TURNS']
const LOOK_EVERY_MS = 5
const LONG_MS = 20
const TICK_MS = 10

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
  })
}

function processorTime() {
  const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8')
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14)
  return (Number(user) + Number(system)) * TICK_MS
}
