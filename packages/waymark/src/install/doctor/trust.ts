import { realpathSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { Launch } from '../entry.ts'
import type { Json } from '../format/edit.ts'
import type { Host } from '../host.ts'
import type { Ledger } from '../ledger.ts'
import { findOnPath, type RunningProcess } from '../program.ts'
import type { Machine } from '../machine.ts'

export interface Trust {
  readonly machine: Machine
  readonly running: RunningProcess
  /** What we wrote into the user’s own files. A project’s ledger proves nothing: it may have come with the project. */
  readonly userLedger: Ledger | undefined
}

/**
 * Why an entry may not be started without asking, if it may not. A repository can bring along any entry it likes under our
 * name, so only this very program with harmless options will do, or what we know to have written into the user’s own files.
 */
export function whyDistrusted(launch: Launch, trust: Trust): string | undefined {
  if (launch.kind === 'http')
    return isLoopback(launch.url) ? undefined : 'it is no address of this machine'
  const rest = argumentsOf(launch, trust)
  if (rest === undefined) return 'it starts something else than this waymark'
  // A variable such as NODE_OPTIONS, or another folder, could still make something else of it.
  if (Object.keys(launch.env).length > 0) return 'it sets variables'
  if (launch.cwd !== undefined) return 'it names a folder to start in'
  return areHarmless(rest) ? undefined : 'it has options that doctor does not start'
}

export function isRecorded(path: string, host: Host, entry: Json, { userLedger }: Trust): boolean {
  const parts = userLedger?.get(realPath(path) ?? path)?.parts ?? []
  return parts
    .filter((part) => part.host === host.name && part.part === 'server')
    .some((part) => part.edits.some((edit) => isDeepStrictEqual(edit.value, entry)))
}

/** What is passed to this very program, if that is what an entry starts. */
function argumentsOf(
  { words }: Launch & { kind: 'stdio' },
  { machine, running }: Trust,
): readonly string[] | undefined {
  const script = realPath(running.script)
  const isNode = realPath(words[0]) === realPath(running.node) && realPath(words[1]) === script
  const found = words[0] === 'waymark' ? findOnPath(machine, 'waymark') : undefined
  const isOnPath = found !== undefined && realPath(found) === script
  return isNode ? words.slice(2) : isOnPath ? words.slice(1) : undefined
}

// Not among them: --log-file, which writes wherever it is told to.
const WITH_VALUE: ReadonlySet<string> = new Set([
  '-C',
  '--directory',
  '--dialect',
  '--max-concurrent-requests',
  '--project',
  '--timeout-seconds',
  '--tool-names',
  '--tools',
  '--toolsets',
])
const ALONE: ReadonlySet<string> = new Set([
  'serve',
  '--json-logs',
  '--read-only',
  '--strict-protocol',
])

/** Reads the words as the command line does, where an option takes the next word whatever it looks like. */
function areHarmless(words: readonly string[]): boolean {
  const rest = words[Symbol.iterator]()
  for (const word of rest) {
    const [name = ''] = /^--[^=]+(?==)/.exec(word) ?? []
    if (ALONE.has(word) || WITH_VALUE.has(name)) continue
    if (!WITH_VALUE.has(word)) return false
    const { value } = rest.next()
    // With a dash in front it could be an option after all, if the two ways to read ever differed.
    if (value === undefined || value.startsWith('-')) return false
  }
  return true
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(url).hostname)
}

function realPath(path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : realpathSync(path)
  } catch {
    return undefined
  }
}
