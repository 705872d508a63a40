import { readFileSync } from 'node:fs'

/** The memory of a process in bytes. */
export interface ProcessMemory {
  /** Current resident set size. */
  readonly now: number
  /** Peak resident set size. */
  readonly peak: number
}

/** Reads /proc, so undefined on other systems than Linux. */
export function readMemory(pid: number = process.pid): ProcessMemory | undefined {
  if (process.platform !== 'linux') return undefined
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024
  return { now: read('VmRSS'), peak: read('VmHWM') }
}
