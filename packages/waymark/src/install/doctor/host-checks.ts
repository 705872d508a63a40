import { type Launch, namesCredential, parseEntry } from '../ledger/entry.ts'
import { displayPath, homeOf, type Machine } from '../machine/machine.ts'
import type { FoundEntry } from '../overview.ts'
import type { Check } from '../../health/check.ts'
import type { Probe } from './probe.ts'
import { isRecorded, judge, type Trust } from './trust.ts'

export interface HostCheckOptions {
  readonly machine: Machine
  readonly root: string | undefined
  readonly trust: Trust
  /** Also start commands that we did not write. */
  readonly startAll: boolean
  readonly timeoutMs: number
}

/** Starts the configured server as the host would, and runs an MCP handshake. */
export async function checkEntry(found: FoundEntry, options: HostCheckOptions): Promise<Check> {
  const { host, scope, path, entry, failure } = found
  const { machine, root, trust } = options
  const name = `${host.title} (${scope})`
  const file = displayPath(machine, path, root)
  const again = `waymark install ${host.name}${scope === 'global' ? ' --global' : ''}`
  if (failure !== undefined) {
    // The file may have no entry of ours, but a broken file is worth a warning.
    return { name, status: 'warning', message: `${file} ${failure.message}`, fix: `repair ${file}` }
  }
  const launch = parseEntry(entry)
  if (launch === undefined || entry === undefined) {
    return {
      name,
      status: 'failed',
      message: `${file}: the entry starts nothing`,
      fix: `${again} --force`,
    }
  }
  const isKnown = options.startAll || isRecorded(path, host, entry, trust)
  const { launch: trusted, distrust } = isKnown ? { launch } : judge(launch, scope, trust)
  if (trusted === undefined) {
    const isAddress = launch.kind === 'http'
    return {
      name,
      status: 'warning',
      message: `${file}: not ${isAddress ? 'tried' : 'started'}, because ${distrust}: ${describe(launch)}`,
      fix: isAddress
        ? `if the address is yours, ${again} --http ${toWord(launch.url)}; to try it once, waymark doctor --start-all`
        : `if you know what it starts, waymark doctor --start-all; or ${again} --force`,
    }
  }
  if (root === undefined && host.folder !== 'unknown' && launch.kind === 'stdio') {
    return {
      name,
      status: 'warning',
      message: `${file}: not started, because it needs a project`,
      fix: 'run this in one',
    }
  }
  const probe = await probeLaunch(trusted, found, options)
  if (!probe.isOk)
    return { name, status: 'failed', message: `${file}: ${probe.problem}`, fix: again }
  const { server, tools, milliseconds } = probe
  return { name, status: 'ok', message: `${file}: ${server}, ${tools} tools, ${milliseconds} ms` }
}

async function probeLaunch(
  launch: Launch,
  { host, scope }: FoundEntry,
  options: HostCheckOptions,
): Promise<Probe> {
  const { machine, root, timeoutMs } = options
  const folder = (host.folder === 'unknown' ? undefined : root) ?? homeOf(machine) ?? '.'
  // A project's file may have come with a clone: it gets the credential of Waymark and no other variable.
  const isSent = (variable: string) => scope === 'global' || variable === 'WAYMARK_TOKEN'
  const expand = (text: string, isGiven = (_variable: string) => true) =>
    expandVariables(text, { folder: root ?? folder, machine, isGiven })
  if (launch.kind === 'http') {
    const { probeAddress } = await import('./probe-address.ts')
    const headers = Object.fromEntries(
      Object.entries(launch.headers).map(([key, value]) => [key, expand(value, isSent)]),
    )
    const { tokenVariable = '' } = launch
    const token = isSent(tokenVariable) ? machine.env[tokenVariable] : undefined
    return await probeAddress(
      {
        url: launch.url,
        headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
        remedy: namesCredential(launch)
          ? 'set WAYMARK_TOKEN in the environment of the host'
          : 'the entry has no Authorization header; add one, or connect without --http',
      },
      { timeoutMs },
    )
  }
  const { probeCommand } = await import('./probe-command.ts')
  const [program, ...args] = launch.words
  const given = Object.entries(launch.env).map(([key, value]) => [key, expand(value)] as const)
  const inherited =
    host.isEnvironmentCleared === true ? essential(machine.env, launch.passed) : machine.env
  return await probeCommand(
    {
      words: [expand(program), ...args.map((word) => expand(word))],
      cwd: launch.cwd === undefined ? folder : expand(launch.cwd),
      env: { ...inherited, ...Object.fromEntries(given) },
    },
    { timeoutMs },
  )
}

/** Variables that hosts with a cleared environment pass on. */
const ESSENTIAL: ReadonlySet<string> = new Set(
  'HOME LOGNAME PATH SHELL USER LANG LC_ALL TERM TMPDIR TZ APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE SYSTEMDRIVE SYSTEMROOT TEMP USERNAME USERPROFILE PROGRAMFILES'.split(
    ' ',
  ),
)

function essential(env: Machine['env'], passed: readonly string[]): Machine['env'] {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => ESSENTIAL.has(name.toUpperCase()) || passed.includes(name),
    ),
  )
}

/** Expands variables in entries as hosts do; of the environment only ours, because the entry is untrusted. */
function expandVariables(text: string, { folder, machine, isGiven }: Expansion): string {
  return text
    .replaceAll(/\$\{(?:workspaceFolder|CLAUDE_PROJECT_DIR(?::-[^}]{0,200})?)\}/g, () => folder)
    .replaceAll('${userHome}', () => homeOf(machine) ?? '')
    .replaceAll(
      /\$?\{(?:env:)?(WAYMARK_\w+)\}|\$(WAYMARK_\w+)/g,
      (_, braced?: string, bare?: string) => {
        const name = braced ?? bare ?? ''
        return isGiven(name) ? (machine.env[name] ?? '') : ''
      },
    )
}

interface Expansion {
  readonly folder: string
  readonly machine: Machine
  /** Whether a variable of the environment may be used. */
  readonly isGiven: (variable: string) => boolean
}

/** An address as a word of a command, if no shell sees more in it. */
function toWord(url: string): string {
  return /^[\w.:/[\]-]+$/.test(url) ? url : '<address>'
}

function describe(launch: Launch): string {
  return launch.kind === 'http' ? launch.url : launch.words.join(' ')
}
