import { readdirSync, readFileSync } from 'node:fs'

/** The CPU time that all threads of a process have used, in microseconds. */
export function readCpu(pid: number): number {
  let nanoseconds = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    // A thread may end between the listing and the reading.
    try {
      const [used] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')
      nanoseconds += Number(used)
    } catch {
      continue
    }
  }
  return nanoseconds / 1000
}

/** The resident memory of a process, in megabytes. */
export function readRss(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024
}
