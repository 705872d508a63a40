import { join } from 'node:path'
import { Failure, FAILURES } from '../../core/error.ts'
import { SERVER_SETTINGS } from '../../core/project/settings.ts'
import { assertPlainTree } from '../../support/files/state-entries.ts'
import {
  installHosts,
  type Options,
  type PartName,
  PARTS,
  uninstallHosts,
} from '../../install/configure.ts'
import { findSign } from '../../install/machine/detect.ts'
import type { State } from '../../install/each-file.ts'
import { findProject, type FoundProject } from '../../core/project/found-project.ts'
import type { Host, Scope } from '../../install/hosts/host.ts'
import { HOSTS } from '../../install/hosts/hosts.ts'
import { openLedger } from '../../install/ledger/ledger.ts'
import { displayPath, type Machine, machineOf } from '../../install/machine/machine.ts'
import { overviewOf } from '../../install/overview.ts'
import {
  findLastingProgram,
  findProgram,
  givenProgram,
  type Program,
  type RunningProcess,
  splitWords,
} from '../../install/machine/program.ts'
import { locate, targetsOf, type Wish } from '../../install/target.ts'
import {
  openUserLedger,
  recordAddresses,
  userLedgerFolder,
} from '../../install/ledger/user-ledger.ts'
import { printOverview, printResult, printSnippets } from './install-report.ts'
import type { GlobalOptions } from '../run-operation.ts'
import { plain } from '../terminal/escape.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface InstallOptions extends GlobalOptions {
  readonly global?: boolean
  readonly all?: boolean
  readonly list?: boolean
  readonly print?: boolean
  readonly yes?: boolean
  readonly dryRun?: boolean
  readonly uninstall?: boolean
  readonly force?: boolean
  readonly hooks?: boolean
  readonly instructions?: boolean
  /** Address of a server, or true for the one that `waymark serve --http` starts. */
  readonly http?: string | true
  readonly command?: string
  readonly serveOptions?: string
}

/** Installs or uninstalls Waymark in hosts. Returns the exit code. */
export async function installCommand(
  names: readonly string[],
  options: InstallOptions,
  terminal: Terminal,
  running: RunningProcess = { node: process.execPath, script: process.argv[1] ?? '' },
): Promise<number> {
  const machine = machineOf(terminal.env)
  const scope: Scope = options.global === true ? 'global' : 'project'
  const project = findProject(options.directory ?? terminal.cwd)
  const wish: Wish = {
    machine,
    scope,
    root: project?.root,
    program: programOf(options, machine, running),
    serveOptions: splitWords(options.serveOptions ?? ''),
    http: toHttp(options.http),
  }
  if (options.list === true) {
    await printOverview(
      HOSTS.map((host) => overviewOf(host, wish)),
      wish,
      options,
      terminal,
    )
    return 0
  }
  if (options.print === true) {
    printSnippets(namedHosts(names), wish, options, terminal)
    return 0
  }
  const ledger = openLedger(ledgerFolder(scope, machine, project))
  const hosts = await chooseHosts(names, options, wish, terminal)
  const configure: Options = {
    wish,
    ledger,
    parts: partsOf(options),
    isDryRun: options.dryRun === true,
    force: options.force === true,
  }
  const { outcomes, changes } =
    options.uninstall === true
      ? await uninstallHosts(hosts, configure)
      : await installHosts(hosts, configure)
  const userLedger = openUserLedger(machine)
  if (scope === 'project' && !configure.isDryRun && userLedger !== undefined)
    await recordAddresses(userLedger, wish, outcomes)
  const shown = outcomes.filter(({ state }) => names.length > 0 || !SILENT_STATES.has(state))
  await printResult({ outcomes: shown, changes }, configure, options, terminal)
  const failure = outcomes.find((outcome) => outcome.failure !== undefined)?.failure
  return failure === undefined ? 0 : FAILURES[failure.code].exit
}

/** States that are not reported unless the host was named. */
const SILENT_STATES: ReadonlySet<State> = new Set(['absent', 'unavailable'])

function ledgerFolder(scope: Scope, machine: Machine, project: FoundProject | undefined): string {
  if (scope === 'global') return userLedgerFolder(machine)
  if (project !== undefined) {
    const folder = join(project.stateDir, 'install')
    // The folder may come from an archive; a symlink in it would redirect the writes.
    assertPlainTree(folder)
    return folder
  }
  throw new Failure(
    'not_initialised',
    'not a Waymark project: run `waymark init` first, or add --global',
  )
}

/** Only `install` needs a path that stays valid; `--list` and `--uninstall` only compare. */
function programOf(options: InstallOptions, machine: Machine, running: RunningProcess): Program {
  if (options.command !== undefined) return givenProgram(options.command)
  const { list, uninstall, http, hooks } = options
  const isNamed = list !== true && uninstall !== true && (http === undefined || hooks === true)
  return isNamed
    ? findLastingProgram(machine, running, { otherwise: ', or name what to start with --command' })
    : findProgram(machine, running)
}

const DEFAULT_URL = `http://127.0.0.1:${SERVER_SETTINGS.port.default}/mcp`

function toHttp(given: string | true | undefined): Wish['http'] {
  if (given === undefined) return undefined
  const url = given === true ? DEFAULT_URL : given
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Failure('invalid_input', `--http: must be an address like http://127.0.0.1:7777/mcp`)
  }
  return { url, tokenVariable: 'WAYMARK_TOKEN' }
}

/** `--uninstall` removes all parts, unless some are named. */
function partsOf({ uninstall, hooks, instructions }: InstallOptions): readonly PartName[] {
  const extras: PartName[] = [
    ...(hooks === true ? (['hook'] as const) : []),
    ...(instructions === true ? (['instructions'] as const) : []),
  ]
  if (uninstall !== true) return ['server', ...extras]
  return extras.length > 0 ? extras : PARTS
}

async function chooseHosts(
  names: readonly string[],
  options: InstallOptions,
  wish: Wish,
  terminal: Terminal,
): Promise<readonly Host[]> {
  if (names.length > 0) return namedHosts(names)
  if (options.uninstall === true) return HOSTS
  const possible = HOSTS.filter((host) => locate(host.files, wish) !== undefined)
  if (options.all === true) return possible
  const found = possible.filter((host) => findSign(host, wish.machine, wish.root) !== undefined)
  if (found.length === 0) {
    throw new Failure(
      'invalid_input',
      'found no host that can be configured here: name one, `waymark install --list` shows all',
    )
  }
  const titles = found.map(({ title }) => title).join(', ')
  const withFiles = (host: Host): string => {
    const paths = partsOf(options).flatMap((part) =>
      targetsOf(host, part, wish).map(({ path }) => path),
    )
    const files = paths.map((path) => plain(displayPath(wish.machine, path, wish.root)))
    return `${host.title} (${[...new Set(files)].join(', ')})`
  }
  if (options.yes === true || options.dryRun === true) return found
  const answer = await terminal.confirm(`Configure ${found.map(withFiles).join(', ')}?`)
  if (answer === true) return found
  throw answer === undefined
    ? new Failure(
        'invalid_input',
        `found ${titles}: name those to configure, or add --yes for all of them`,
        {
          details: { found: found.map(({ name }) => name) },
        },
      )
    : new Failure('cancelled', 'nothing was changed')
}

/** What people call a host whose own name differs. */
const COMMAND_NAMES: Readonly<Record<string, string>> = {
  claude: 'claude-code',
  cn: 'continue',
  code: 'vscode',
  'vs-code': 'vscode',
  'codex-cli': 'codex',
  'copilot-cli': 'copilot',
  'gemini-cli': 'gemini',
  'qwen-code': 'qwen',
  auggie: 'augment',
}

function namedHosts(names: readonly string[]): readonly Host[] {
  return names.map((name) => {
    const wanted = COMMAND_NAMES[name.toLowerCase()] ?? name.toLowerCase()
    const host = HOSTS.find((known) => known.name === wanted)
    if (host !== undefined) return host
    const known = HOSTS.map((each) => each.name)
    throw new Failure(
      'invalid_input',
      `no host is called "${name}"; known are ${known.join(', ')}`,
      {
        details: { field: 'host', value: name, valid: known },
      },
    )
  })
}
