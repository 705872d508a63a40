import { type Launch, parseEntry } from '../entry.ts'
import { displayPath, homeOf, type Machine } from '../machine.ts'
import type { FoundEntry } from '../overview.ts'
import type { Check } from './check.ts'
import type { Probe } from './probe.ts'
import { isRecorded, type Trust, whyDistrusted } from './trust.ts'

export interface HostCheckOptions {
  readonly machine: Machine
  readonly root: string | undefined
  readonly trust: Trust
  /** Also start what we did not write. */
  readonly startAll: boolean
  readonly timeoutMs: number
}

/** Starts what a host is configured to start, as the host would, and speaks MCP to it. */
export async function checkEntry(found: FoundEntry, options: HostCheckOptions): Promise<Check> {
  const { host, scope, path, entry, failure } = found
  const { machine, root, trust } = options
  const name = `${host.title} (${scope})`
  const file = displayPath(machine, path, root)
  const again = `waymark install ${host.name}${scope === 'global' ? ' --global' : ''}`
  if (failure !== undefined) {
    // We may not be in it at all, but then somebody else will be glad to know.
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
  const distrust = isKnown ? undefined : whyDistrusted(launch, trust)
  if (distrust !== undefined) {
    return {
      name,
      status: 'warning',
      message: `${file}: not started, because ${distrust}: ${describe(launch)}`,
      fix: `if you know what it starts, waymark doctor --start-all; or ${again} --force`,
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
  const probe = await probeLaunch(launch, found, options)
  if (!probe.isOk)
    return { name, status: 'failed', message: `${file}: ${probe.problem}`, fix: again }
  const { server, tools, milliseconds } = probe
  return { name, status: 'ok', message: `${file}: ${server}, ${tools} tools, ${milliseconds} ms` }
}

async function probeLaunch(
  launch: Launch,
  { host }: FoundEntry,
  options: HostCheckOptions,
): Promise<Probe> {
  const { machine, root, timeoutMs } = options
  const folder = (host.folder === 'unknown' ? undefined : root) ?? homeOf(machine) ?? '.'
  const expand = (text: string) => expandVariables(text, { folder: root ?? folder, machine })
  if (launch.kind === 'http') {
    const { probeAddress } = await import('./probe-address.ts')
    const headers = Object.fromEntries(
      Object.entries(launch.headers).map(([key, value]) => [key, expand(value)]),
    )
    const token = launch.tokenVariable === undefined ? undefined : machine.env[launch.tokenVariable]
    return await probeAddress(
      {
        url: launch.url,
        headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
      },
      { timeoutMs },
    )
  }
  const { probeCommand } = await import('./probe-command.ts')
  const [program, ...args] = launch.words
  const given = Object.entries(launch.env).map(([key, value]) => [key, expand(value)] as const)
  const inherited = host.isEnvironmentCleared === true ? essential(machine.env) : machine.env
  return await probeCommand(
    {
      words: [expand(program), ...args.map(expand)],
      cwd: launch.cwd === undefined ? folder : expand(launch.cwd),
      env: { ...inherited, ...Object.fromEntries(given) },
    },
    { timeoutMs },
  )
}

/** What hosts pass on that pass on little. */
const ESSENTIAL: ReadonlySet<string> = new Set(
  'HOME LOGNAME PATH SHELL USER LANG LC_ALL TERM TMPDIR TZ APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE SYSTEMDRIVE SYSTEMROOT TEMP USERNAME USERPROFILE PROGRAMFILES'.split(
    ' ',
  ),
)

function essential(env: Machine['env']): Machine['env'] {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => ESSENTIAL.has(name.toUpperCase())),
  )
}

/** The variables that hosts replace in entries; of the environment only our own, because the entry may be anybody's. */
function expandVariables(
  text: string,
  { folder, machine }: { readonly folder: string; readonly machine: Machine },
): string {
  return text
    .replaceAll(/\$\{(?:workspaceFolder|CLAUDE_PROJECT_DIR(?::-[^}]{0,200})?)\}/g, () => folder)
    .replaceAll('${userHome}', () => homeOf(machine) ?? '')
    .replaceAll(
      /\$?\{(?:env:)?(WAYMARK_\w+)\}|\$(WAYMARK_\w+)/g,
      (_, braced?: string, bare?: string) => {
        return machine.env[braced ?? bare ?? ''] ?? ''
      },
    )
}

function describe(launch: Launch): string {
  return launch.kind === 'http' ? launch.url : launch.words.join(' ')
}
