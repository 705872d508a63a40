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
 * Whether an entry may be started without asking. A repository can bring along any entry it likes under our name, so only
 * this very program with harmless options will do, or what we know to have written into the user’s own files.
 */
export function isTrusted(launch: Launch, trust: Trust): boolean {
  return launch.kind === 'http' ? isLoopback(launch.url) : isThisProgram(launch, trust)
}

export function isRecorded(path: string, host: Host, entry: Json, { userLedger }: Trust): boolean {
  const parts = userLedger?.get(realPath(path) ?? path)?.parts ?? []
  return parts
    .filter((part) => part.host === host.name && part.part === 'server')
    .some((part) => part.edits.some((edit) => isDeepStrictEqual(edit.value, entry)))
}

function isThisProgram({ words, env, cwd }: Launch & { kind: 'stdio' }, trust: Trust): boolean {
  const { machine, running } = trust
  const script = realPath(running.script)
  const isNode = realPath(words[0]) === realPath(running.node) && realPath(words[1]) === script
  const found = words[0] === 'waymark' ? findOnPath(machine, 'waymark') : undefined
  const isOnPath = found !== undefined && realPath(found) === script
  const rest = isNode ? words.slice(2) : isOnPath ? words.slice(1) : undefined
  // A variable such as NODE_OPTIONS, or another folder, could still make something else of it.
  return (
    rest !== undefined && areHarmless(rest) && Object.keys(env).length === 0 && cwd === undefined
  )
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
  '--toolsets',
])
const ALONE: ReadonlySet<string> = new Set([
  'serve',
  '--json-logs',
  '--read-only',
  '--strict-protocol',
])

function areHarmless(words: readonly string[]): boolean {
  return words.every(
    (word, at) => ALONE.has(word) || WITH_VALUE.has(word) || WITH_VALUE.has(words[at - 1] ?? ''),
  )
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
