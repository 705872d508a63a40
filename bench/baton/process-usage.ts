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

/** Milliseconds of CPU time of all processes that this one has started and waited for, in steps of ten. */
export function readChildrenCpu(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) * 10
}

/** The resident memory of a process, in megabytes. */
export function readRss(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024
}
