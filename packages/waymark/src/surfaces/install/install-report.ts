import type { Options } from '../../install/configure.ts'
import type { Outcome, Result } from '../../install/each-file.ts'
import { FORMATS } from '../../install/format/formats.ts'
import { type Host, nextStep, SERVER_NAME } from '../../install/hosts/host.ts'
import { HOSTS } from '../../install/hosts/hosts.ts'
import { displayPath } from '../../install/machine/machine.ts'
import type { HostOverview } from '../../install/overview.ts'
import { namesCredential, parseEntry } from '../../install/ledger/entry.ts'
import { entryOf, locate, serverEdit, type Wish } from '../../install/target.ts'
import { unifiedDiff } from '../../install/unified-diff.ts'
import { toFailureReport } from '../../core/error.ts'
import { multiline, plain } from '../terminal/escape.ts'
import { alignTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'

interface Form {
  readonly json?: boolean
}

/** Prints the changes, done or planned. Errors go to standard error. */
export async function printResult(
  { outcomes, changes }: Result,
  { wish, isDryRun, ledger }: Options,
  { json }: Form,
  terminal: Terminal,
): Promise<void> {
  const show = (path: string) => displayPath(wish.machine, path, wish.root)
  const diffs = changes.map((change) => ({
    file: show(change.path),
    diff: unifiedDiff(change, show(change.path).replaceAll('\\', '/')),
  }))
  if (json === true) {
    terminal.out(
      `${JSON.stringify({
        scope: wish.scope,
        dry_run: isDryRun,
        results: outcomes.map((outcome) => toJson(outcome, show)),
        ...(isDryRun ? { changes: diffs } : { backups: ledger.folder }),
      })}\n`,
    )
    return
  }
  if (isDryRun) for (const { diff } of diffs) terminal.out(multiline(diff))
  const done = outcomes.filter(({ state }) => state !== 'refused')
  await printTable(
    done.map((outcome) => toRow(outcome, show, isDryRun)),
    undefined,
    terminal,
  )
  for (const { path, failure, host } of outcomes) {
    const subject = path === undefined ? '' : `${titleOf(host)}: ${plain(show(path))} `
    if (failure !== undefined) terminal.err(`error: ${subject}${plain(failure.message)}\n`)
  }
  if (outcomes.length === 0) terminal.out('nothing to do\n')
  // Standard output is for what was done; a script that reads it has no use for advice.
  if (!isDryRun) terminal.err(nextSteps(outcomes, wish))
}

function toJson({ host, part, path, state, failure }: Outcome, show: (path: string) => string) {
  return {
    host,
    part,
    ...(path !== undefined && { file: show(path) }),
    state,
    ...(failure !== undefined && { error: toFailureReport(failure) }),
  }
}

const STEADY_STATES: ReadonlySet<string> = new Set(['unchanged', 'absent', 'kept', 'unavailable'])

const PART_TITLES = { server: '', hook: ', hooks', instructions: ', instructions' } as const

function toRow(
  { host, part, path, state }: Outcome,
  show: (path: string) => string,
  isDryRun: boolean,
) {
  const verb = isDryRun && !STEADY_STATES.has(state) ? `would be ${state}` : state
  return [verb, titleOf(host) + PART_TITLES[part], path === undefined ? '' : show(path)]
}

function nextSteps(outcomes: readonly Outcome[], wish: Wish): string {
  const fresh = outcomes.flatMap(({ host: name, part, state }) => {
    const host = hostOf(name)
    const isFresh = state === 'added' || state === 'updated'
    return isFresh && host !== undefined ? [{ host, part }] : []
  })
  const steps = fresh.flatMap(({ host, part }) =>
    stepsFor(host, part, wish).map((step) => `  ${host.title}: ${step}`),
  )
  if (steps.length === 0) return ''
  const [program = ''] = wish.program.words
  const isPrivate = wish.scope === 'project' && wish.http === undefined && /[\\/]/.test(program)
  const note = isPrivate
    ? [
        '',
        'These files name programs of this machine. To share them with others, let PATH lead to waymark on every',
        'machine (in its clone: npm install --global ./packages/waymark) and install again, or give the command',
        'that all of them have: --command <words>.',
      ]
    : []
  const isTokenRead = fresh.some(({ host, part }) => part === 'server' && readsToken(host, wish))
  const token =
    wish.http === undefined || !isTokenRead
      ? []
      : [
          `  where the host is started, ${wish.http.tokenVariable} must hold the server’s secret: its project has it in`,
          '  the file http-secret beside the database, and `waymark serve --http` says where that is',
        ]
  return `${['Next:', ...steps, ...token, '  then: waymark doctor', ...note].join('\n')}\n`
}

/** What a person still has to do for one part of a host. */
function stepsFor(host: Host, part: Outcome['part'], wish: Wish): readonly string[] {
  if (part === 'hook') return host.hook?.next === undefined ? [] : [host.hook.next]
  if (part !== 'server') return []
  const missing =
    'this file cannot refer to a variable, so it holds no credential: add the header `Authorization: Bearer <secret>` yourself'
  const isMissing = wish.http !== undefined && !readsToken(host, wish)
  return [nextStep(host, wish.scope), ...(isMissing ? [missing] : [])]
}

/** Whether the host's entry takes the credential of an HTTP server from the environment. */
function readsToken(host: Host, wish: Wish): boolean {
  const launch = parseEntry(entryOf(host, wish))
  return launch?.kind === 'http' && namesCredential(launch)
}

/** What to paste where no file can be written, or should not be. */
export function printSnippets(
  hosts: readonly Host[],
  wish: Wish,
  { json }: Form,
  terminal: Terminal,
): void {
  const snippets = hosts.map((host) => {
    const entry = entryOf(host, wish)
    const path = locate(host.files, wish)
    const text = FORMATS[host.format].put('', serverEdit(host, entry))
    return {
      host: host.name,
      ...(path !== undefined && { file: displayPath(wish.machine, path, wish.root) }),
      text,
      next: nextStep(host, wish.scope),
      ...(host.link && { link: host.link(SERVER_NAME, entry) }),
    }
  })
  if (json === true) {
    terminal.out(`${JSON.stringify({ snippets })}\n`)
    return
  }
  for (const { host, file, text, next, link } of snippets) {
    terminal.err(`${titleOf(host)}: ${file === undefined ? next : plain(file)}\n`)
    terminal.out(text)
    if (link !== undefined) terminal.err(`or open: ${link}\n`)
  }
}

/** All hosts, whether they are in use here, and what their files say about us. */
export async function printOverview(
  overviews: readonly HostOverview[],
  wish: Wish,
  { json }: Form,
  terminal: Terminal,
): Promise<void> {
  const show = (path: string) => displayPath(wish.machine, path, wish.root)
  if (json === true) {
    const hosts = overviews.map(({ host, sign, entries }) => ({
      name: host.name,
      title: host.title,
      found: sign ?? null,
      entries: entries.map(({ scope, path, state }) => ({ scope, file: show(path), state })),
      hooks: host.hook !== undefined,
      instructions: host.instructions?.project ?? null,
    }))
    terminal.out(`${JSON.stringify({ hosts })}\n`)
    return
  }
  const rows = overviews.map(({ host, sign, entries }) => {
    const stateIn = (scope: string) => entries.find((entry) => entry.scope === scope)?.state ?? '-'
    return [host.name, host.title, sign ?? '-', stateIn('project'), stateIn('global')]
  })
  await printTable(rows, ['HOST', 'TITLE', 'FOUND', 'PROJECT', 'GLOBAL'], terminal)
}

/** Aligned for a person, separated by tabs for a pipe. */
async function printTable(
  rows: readonly (readonly string[])[],
  head: readonly string[] | undefined,
  terminal: Terminal,
): Promise<void> {
  if (rows.length === 0) return
  const cells = rows.map((row) => row.map(plain))
  terminal.out(
    terminal.interactive
      ? await alignTable([head ?? ['STATE', 'HOST', 'FILE'], ...cells], terminal)
      : cells.map((row) => `${row.join('\t')}\n`).join(''),
  )
}

function titleOf(name: string): string {
  return hostOf(name)?.title ?? name
}

function hostOf(name: string): Host | undefined {
  return HOSTS.find((host) => host.name === name)
}
