import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Names this process: no other one of this machine has or had the same name, as far as the system can tell. */
export function thisProcess(): string {
  return `${hostname()} ${process.pid} ${readStart(process.pid) ?? ''}`
}

/**
 * Whether the process of that name has ended for certain. One of another machine may still run, and so may one whose
 * number has been given again where the system does not say when a process was started.
 */
export function hasEnded(name: string): boolean {
  const [host, pid, start] = name.split(' ')
  if (host !== hostname()) return false
  if (!isRunning(Number(pid))) return true
  const present = readStart(Number(pid))
  return start !== '' && present !== undefined && present !== start
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return readState(pid) !== 'Z'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** When the process was started, in ticks since the machine was; undefined where there is no such file. */
function readStart(pid: number): string | undefined {
  return readStat(pid)?.[19]
}

/** `Z` for a process that has ended and that its parent has not asked about. */
function readState(pid: number): string | undefined {
  return readStat(pid)?.[0]
}

/** What Linux says of a process, from its state on: the name before it may hold anything. */
function readStat(pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
