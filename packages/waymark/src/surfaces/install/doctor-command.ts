import {
  ignoredSettings,
  loadConfig,
  SETTING_NAMES,
  unknownSettings,
} from '../../core/project/config.ts'
import { FAILURES, Failure } from '../../core/error.ts'
import type { Check } from '../../health/check.ts'
import { checkEntry, type HostCheckOptions } from '../../install/doctor/host-checks.ts'
import { checkLocally } from '../../health/local-checks.ts'
import { findProject, type FoundProject } from '../../core/project/found-project.ts'
import { HOSTS } from '../../install/hosts/hosts.ts'
import { machineOf } from '../../install/machine/machine.ts'
import { type FoundEntry, overviewOf } from '../../install/overview.ts'
import { findProgram, type RunningProcess } from '../../install/machine/program.ts'
import { gitRemedy } from '../../git/refs/remedy.ts'
import { openUserLedger } from '../../install/ledger/user-ledger.ts'
import { listAgents } from '../../agent/operations.ts'
import { describeClient } from '../../agent/show.ts'
import { printForAgent } from '../../core/show.ts'
import type { ClientView } from '../../agent/client/view.ts'
import { checkStore } from '../../integrity/operations.ts'
import { plain } from '../terminal/escape.ts'
import { answerOf, type GlobalOptions } from '../run-operation.ts'
import { alignTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface DoctorOptions extends GlobalOptions {
  readonly repair?: boolean
  readonly startAll?: boolean
  readonly timeout?: string
}

/** Looks at everything that must work for an agent to reach this project. Exits with 1 if something does not. */
export async function doctorCommand(
  options: DoctorOptions,
  terminal: Terminal,
  running: RunningProcess = { node: process.execPath, script: process.argv[1] ?? '' },
): Promise<number> {
  const directory = options.directory ?? terminal.cwd
  const local = await lookLocally(directory, options)
  // A damaged database is not queried and above all not written to: it may be the only copy.
  const isSound = local.checks.every(
    ({ name, status }) => name !== 'project' || status !== 'failed',
  )
  const settings = local.project === undefined ? [] : checkSettings(local.project, terminal)
  // Invalid settings stop every operation, but do not mean that the store is damaged.
  const isUsable = isSound && settings.every(({ status }) => status !== 'failed')
  const checks = [
    ...local.checks,
    ...settings,
    ...(local.project !== undefined && isUsable
      ? await checkKnowledge(options, terminal, local.project)
      : []),
    ...(await checkHosts(options, terminal, { running, root: local.project?.root })),
  ]
  const hasFailed = checks.some(({ status }) => status === 'failed')
  if (options.json === true) terminal.out(`${JSON.stringify({ ok: !hasFailed, checks })}\n`)
  else await print(checks, terminal)
  return hasFailed ? FAILURES.internal.exit : 0
}

interface LookedAt {
  readonly project: FoundProject | undefined
  readonly checks: readonly Check[]
}

async function lookLocally(directory: string, { repair }: DoctorOptions): Promise<LookedAt> {
  const found = findIfReadable(directory)
  const project = 'failed' in found ? undefined : found.project
  const checks = await checkLocally(directory, project, { repair: repair === true })
  if (!('failed' in found)) return { project, checks }
  return { project, checks: checks.map((each) => (each.name === 'project' ? found.failed : each)) }
}

type Found = { readonly project: FoundProject | undefined } | { readonly failed: Check }

function findIfReadable(directory: string): Found {
  try {
    return { project: findProject(directory) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { failed: { name: 'project', status: 'failed', message: error.message } }
  }
}

/** Reports only problems. */
function checkSettings({ root }: FoundProject, { env }: Terminal): readonly Check[] {
  const name = 'settings'
  try {
    loadConfig(root, env)
    const ignored = ignoredSettings(root).map((message): Check => ({
      name,
      status: 'warning',
      message,
    }))
    const unknown = unknownSettings(root).map((key) => JSON.stringify(key.slice(0, 100)))
    if (unknown.length === 0) return ignored
    const known = SETTING_NAMES.join(', ')
    return [
      ...ignored,
      {
        name,
        status: 'warning',
        message: `.waymark/config.json: ignored, because this version does not know it: ${unknown.slice(0, 10).join(', ')}`,
        fix: `correct the name if it is misspelt; this version knows ${known}`,
      },
    ]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ name, status: 'failed', message: error.message, fix: 'correct that setting' }]
  }
}

/** Integrity checks of the stored data. */
async function checkKnowledge(
  options: DoctorOptions,
  terminal: Terminal,
  { root }: FoundProject,
): Promise<readonly Check[]> {
  try {
    const output = await answerOf(checkStore, options, terminal, async () => ({
      repair: options.repair === true,
    }))
    const checks = output.checks.map(({ name, status, message, fix }) => ({
      name,
      status,
      message,
      ...(fix !== undefined && { fix }),
    }))
    // An agent that cannot be read is among the checks, and would hide the others.
    if (checks.some(({ status }) => status === 'failed')) return checks
    const { clients } = await answerOf(listAgents, options, terminal, async () => ({}))
    return [...checks, ...clients.map(toClientCheck)]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const fix = remedyFor(error, root)
    const found = { name: 'knowledge', status: 'failed', message: error.message } as const
    return [{ ...found, ...(fix !== undefined && { fix }) }]
  }
}

/** What a host has said to the server, other than what is found by starting one now. */
function toClientCheck(client: ClientView): Check {
  return { name: 'client', status: 'ok', message: printForAgent([describeClient(client)]) }
}

/** A backup is named only where the database itself is damaged: restoring one loses what was written since. */
export function remedyFor(error: Failure, root: string): string | undefined {
  const isDatabase = error.code === 'storage_corrupt' && error.details.reason === undefined
  return isDatabase ? 'restore the database from a backup' : gitRemedy(error, root)
}

async function checkHosts(
  options: DoctorOptions,
  terminal: Terminal,
  { running, root }: { readonly running: RunningProcess; readonly root: string | undefined },
): Promise<readonly Check[]> {
  const machine = machineOf(terminal.env)
  const program = findProgram(machine, running)
  const wish = { machine, scope: 'project', root, program, serveOptions: [] } as const
  const found = distinct(HOSTS.flatMap((host) => overviewOf(host, wish).entries)).filter(
    ({ state }) => state !== 'absent',
  )
  if (found.length === 0) return [NO_HOST]
  const settings: HostCheckOptions = {
    machine,
    root,
    trust: { machine, running, userLedger: openUserLedger(machine) },
    startAll: options.startAll === true,
    timeoutMs: toTimeout(options.timeout),
  }
  const checks: Check[] = []
  // One after the other: servers that start together slow each other down and look broken.
  for (const entry of found) checks.push(await checkEntry(entry, settings))
  return checks
}

/** Hosts that share a file share the entry; one of them stands for all. */
function distinct(entries: readonly FoundEntry[]): readonly FoundEntry[] {
  const byPlace = new Map(
    entries.toReversed().map((entry) => [`${entry.path} ${entry.host.key}`, entry]),
  )
  return entries.filter((entry) => byPlace.get(`${entry.path} ${entry.host.key}`) === entry)
}

const NO_HOST: Check = {
  name: 'hosts',
  status: 'warning',
  message: 'no host is configured to use waymark',
  fix: 'waymark install',
}

const DEFAULT_TIMEOUT_MS = 15_000

function toTimeout(text: string | undefined): number {
  const value = text === undefined ? DEFAULT_TIMEOUT_MS : Number(text)
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new Failure('invalid_input', '--timeout: must be a whole number of milliseconds above 0')
}

async function print(checks: readonly Check[], terminal: Terminal): Promise<void> {
  const rows = checks.map(({ status, name, message }) => [status, name, message].map(plain))
  terminal.out(
    terminal.interactive
      ? await alignTable([['STATUS', 'CHECK', 'FOUND'], ...rows], {
          ...terminal,
          columns: Infinity,
        })
      : rows.map((row) => `${row.join('\t')}\n`).join(''),
  )
  const fixes = checks.filter(({ fix }) => fix !== undefined)
  if (fixes.length === 0) return
  const lines = fixes.map(({ name, fix }) => `  ${plain(name)}: ${plain(fix)}`)
  terminal.out(`${['', 'To do:', ...lines].join('\n')}\n`)
}
