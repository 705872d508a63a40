import { readFileSync } from 'node:fs'

/** What the system says of the memory of a process, in bytes; undefined where it does not say. */
export interface ProcessMemory {
  /** What it has now. */
  readonly now: number
  /** The most that it ever had. */
  readonly peak: number
}

/** Linux keeps the peak for every process; elsewhere a test has to do without. */
export function readMemory(pid: number = process.pid): ProcessMemory | undefined {
  if (process.platform !== 'linux') return undefined
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024
  return { now: read('VmRSS'), peak: read('VmHWM') }
}
