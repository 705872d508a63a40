import { realpathSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { isLoopbackUrl } from '../../support/loopback-url.ts'
import type { Launch } from '../ledger/entry.ts'
import type { Json } from '../format/edit.ts'
import type { Host, Scope } from '../hosts/host.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { findOnPath, type RunningProcess } from '../machine/program.ts'
import type { Machine } from '../machine/machine.ts'

export interface Trust {
  readonly machine: Machine
  readonly running: RunningProcess
  /** What this user has installed. A project’s ledger proves nothing: it may have come with the project. */
  readonly userLedger: Ledger | undefined
}

/** What may be started or contacted without `--start-all`, or why not. */
export type Verdict =
  | { readonly launch: Launch; readonly distrust?: never }
  | { readonly launch?: never; readonly distrust: string }

/**
 * Judges an entry that this user has not installed. A repository can ship any entry under our name: a command is started
 * only if it is this program with harmless options, and an address in a project's file is never contacted.
 */
export function judge(launch: Launch, scope: Scope, trust: Trust): Verdict {
  if (launch.kind === 'http') return judgeAddress(launch, scope)
  const rest = argumentsOf(launch, trust)
  if (rest === undefined) return { distrust: 'it starts another program' }
  // A variable such as NODE_OPTIONS, or another folder, could still make something else of it.
  if (Object.keys(launch.env).length > 0) return { distrust: 'it sets variables' }
  if (launch.cwd !== undefined) return { distrust: 'it names a folder to start in' }
  if (!areHarmless(rest)) return { distrust: 'it has options that doctor does not start' }
  // By our own paths: those of the entry may lead to another file from the folder that it is started in.
  const { node, script } = trust.running
  return { launch: { ...launch, words: [node, script, ...rest] } }
}

function judgeAddress(launch: Launch & { kind: 'http' }, scope: Scope): Verdict {
  if (scope === 'project') {
    return { distrust: 'it may have come with the project and you have not installed it' }
  }
  return isLoopbackUrl(launch.url) ? { launch } : { distrust: 'it is not a loopback address' }
}

export function isRecorded(path: string, host: Host, entry: Json, { userLedger }: Trust): boolean {
  const parts = userLedger?.get(realPath(path) ?? path)?.parts ?? []
  return parts
    .filter((part) => part.host === host.name && part.part === 'server')
    .some((part) => part.edits.some((edit) => isDeepStrictEqual(edit.value, entry)))
}

/** The arguments for this very program; undefined if the entry starts another one, from any folder. */
function argumentsOf(
  { words }: Launch & { kind: 'stdio' },
  { machine, running }: Trust,
): readonly string[] | undefined {
  const script = realPath(running.script)
  const isNode =
    isPath(words[0]) &&
    isPath(words[1]) &&
    realPath(words[0]) === realPath(running.node) &&
    realPath(words[1]) === script
  const found = words[0] === 'waymark' ? findOnPath(machine, 'waymark') : undefined
  const isOnPath = found !== undefined && realPath(found) === script
  return isNode ? words.slice(2) : isOnPath ? words.slice(1) : undefined
}

function isPath(word: string | undefined): boolean {
  return word !== undefined && isAbsolute(word)
}

// Not among them: --log-file, which can write to any path.
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

/** Parses the words as the command line does: an option always consumes the next word. */
function areHarmless(words: readonly string[]): boolean {
  const rest = words[Symbol.iterator]()
  for (const word of rest) {
    const [name = ''] = /^--[^=]+(?==)/.exec(word) ?? []
    if (ALONE.has(word) || WITH_VALUE.has(name)) continue
    if (!WITH_VALUE.has(word)) return false
    const { value } = rest.next()
    // Reject a value with a leading dash, in case the two parsers ever differ.
    if (value === undefined || value.startsWith('-')) return false
  }
  // The value of a variable is unknown here.
  return !words.some((word) => word.includes('WAYMARK_'))
}

function realPath(path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : realpathSync(path)
  } catch {
    return undefined
  }
}
