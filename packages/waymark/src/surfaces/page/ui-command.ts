import { loadConfig } from '../../core/project/config.ts'
import { openProject } from '../../core/project/project.ts'
import { Failure } from '../../core/error.ts'
import { violation } from '../../core/input/parse.ts'
import type { LogLevel } from '../../support/logger.ts'
import { findAgentHost } from '../agent-host.ts'
import type { GlobalOptions } from '../run-operation.ts'
import { remoteOf } from '../join/team-client.ts'
import { serveHttp } from '../serve/serve-http.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { openBrowser } from './open-browser.ts'
import { findPlace, toAddress } from './page-address.ts'
import { createPageSessions } from './page-sessions.ts'
import { findServedPage, readServedPage } from './served-page.ts'

export interface UiOptions extends GlobalOptions {
  readonly readOnly?: boolean
  /** False with `--no-open`. */
  readonly open?: boolean
  readonly port?: string
  readonly logLevel?: LogLevel
}

/** Opens the page of the project. Serves it, until the process is told to stop, unless another process does already. */
export async function uiCommand(
  what: string | undefined,
  options: UiOptions,
  terminal: Terminal,
): Promise<number> {
  const directory = options.directory ?? terminal.cwd
  const { state, place } = await prepare(directory, what, options, terminal)
  const show = async (url: string, isServing: boolean): Promise<void> => {
    const isReadOnly = options.readOnly === true
    const code = createPageSessions(state).createCode({ isReadOnly })
    await present(toAddress(url, place, code), { ...options, isServing }, terminal)
  }
  const served = await findServedPage(state)
  if (served !== undefined) {
    await show(served.url, false)
    return 0
  }
  const port = options.port ?? (await freePort(readServedPage(state)?.port))
  const serving = { ...options, dialect: 'waymark', readOnly: false, host: '127.0.0.1', port }
  return await serveHttp(
    { ...serving, logLevel: options.logLevel ?? 'warn' },
    terminal,
    ({ url }) => show(url, true),
  )
}

/** Everything that can be wrong is found before a port is opened. */
async function prepare(
  directory: string,
  what: string | undefined,
  options: UiOptions,
  terminal: Terminal,
) {
  await using project = await openProject(directory)
  requirePersonAt(options, terminal, project.root)
  checkPort(options.port)
  const { state } = project
  const joined = { ...project, ...remoteOf(state, terminal.env) }
  return { state, place: await findPlace(joined, directory, what) }
}

/** The page acts in the person's name, so an agent cannot open it. */
function requirePersonAt({ actor }: UiOptions, { env }: Terminal, root: string): void {
  const host = findAgentHost(env)
  if (host === undefined && loadConfig(root, env, { actor }).actor === undefined) return
  throw new Failure(
    'forbidden',
    'only the person can open the page, in a terminal of their own and without an actor',
    { details: { reason: 'not_the_person' } },
  )
}

function checkPort(port: string | undefined): void {
  if (port === undefined) return
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return
  throw violation('port', 'bad_format', 'must be a number from 0 to 65535', { value: port })
}

/** The port of before, if no other program has taken it. */
async function freePort(remembered: number | undefined): Promise<string> {
  if (remembered === undefined) return '0'
  const { createServer } = await import('node:net')
  return await new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve('0'))
    probe.listen(remembered, '127.0.0.1', () => probe.close(() => resolve(String(remembered))))
  })
}

async function present(
  url: string,
  { open, json, isServing }: UiOptions & { readonly isServing: boolean },
  terminal: Terminal,
): Promise<void> {
  if (json === true) {
    terminal.out(`${JSON.stringify({ url, serving: isServing })}\n`)
    return
  }
  const isOpen = open !== false && (await openBrowser(url, terminal.env))
  const page = new URL(url)
  page.hash = ''
  const lines = isOpen ? [`Waymark is open in your browser at ${page.href}`] : [`Open ${url}`]
  if (!isOpen) lines.push('  the address works once, within a minute')
  if (isServing) lines.push('  stop with Ctrl+C')
  terminal.out(`${lines.join('\n')}\n`)
}
