import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { once } from './once.ts'

/** Names this process: no other one has or had the same name, as far as the system can tell. */
export function thisProcess(): string {
  return toProcessName(process.pid, readStart(process.pid) ?? '')
}

/** The name of a process of this machine, by its number and when it was started. */
export function toProcessName(pid: number, start: string, boot = bootId()): string {
  return `${numberSpace()} ${pid} ${start} ${boot}`
}

/**
 * Whether the process of that name has ended for certain. One of another machine may still run, and so may one whose
 * number has been given again where the system does not say when a process was started.
 */
export function hasEnded(name: string): boolean {
  const [space, pid, start, boot = ''] = name.split(' ')
  if (space !== numberSpace()) return false
  if (boot !== '' && boot !== bootId()) return true
  if (!isRunning(Number(pid))) return true
  const present = readStart(Number(pid))
  return start !== '' && present !== undefined && present !== start
}

/** Whether the process of that name is, or was, one of this machine or container. */
export function isOfThisMachine(name: string): boolean {
  return name.split(' ', 1)[0] === numberSpace()
}

/** Whether the process of that name runs for certain. */
export function runs(name: string): boolean {
  const [space, pid, start, boot = ''] = name.split(' ')
  if (space !== numberSpace() || start === '' || boot !== bootId()) return false
  return isRunning(Number(pid)) && readStart(Number(pid)) === start
}

/**
 * Whether all other processes on this machine can find out that this one has ended. Not where the system does not say
 * when a process was started, and not in a container, whose process numbers mean nothing outside.
 */
export function isTraceable(): boolean {
  return readStart(process.pid) !== undefined && readNamespace() === INITIAL_NAMESPACE
}

/** The kernel gives the first PID namespace this fixed number (PROC_PID_INIT_INO). */
const INITIAL_NAMESPACE = 'pid:[4026531836]'

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return readState(pid) !== 'Z'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The PID namespace: this machine, or this container. */
function numberSpace(): string {
  const namespace = readNamespace()
  return namespace === undefined ? hostname() : `${hostname()}/${namespace}`
}

function readNamespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return undefined
  }
}

/** Differs after each start of the machine; empty where the system does not say. */
const bootId = once((): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
})

/** When the process was started, in ticks since the machine was; undefined where there is no such file. */
function readStart(pid: number): string | undefined {
  return readStat(pid)?.[19]
}

/** `Z` for a process that has ended and that its parent has not asked about. */
function readState(pid: number): string | undefined {
  return readStat(pid)?.[0]
}

/** /proc/<pid>/stat after the process name, which may hold any character. */
function readStat(pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
