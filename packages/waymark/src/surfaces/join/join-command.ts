import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { Failure } from '../../core/error.ts'
import { parse } from '../../core/input/parse.ts'
import { type Context, createContext } from '../../core/context.ts'
import { initialiseProject, type OpenProject, openProject } from '../../core/project/project.ts'
import { SAFE_ADDRESS } from '../../core/project/setting-kinds.ts'
import type { GlobalOptions } from '../run-operation.ts'
import { plain } from '../terminal/escape.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { createLogger, SILENT } from '../../support/logger.ts'
import type { Pushed } from '../../sync/transfer/transfer.ts'
import { findJoinedServer, type JoinedServer, setJoinedServer } from './joined-servers.ts'
import { askServer } from './team-call.ts'
import { createTeamClient } from './team-client.ts'

export interface JoinOptions extends GlobalOptions {
  readonly project?: string
  readonly tokenFile?: string
  /** Back to the store of the clone. */
  readonly leave?: boolean
  /** With `leave`: what the server has, into that store. */
  readonly pull?: boolean
  /** What the store of the clone has, to the server. */
  readonly push?: boolean
}

const member = z.object({
  project: z.string(),
  role: z.string(),
  name: z.string(),
  /** Where an invitation was exchanged. */
  token: z.string().optional(),
})

/** Lets a clone use the tasks and knowledge of a team server instead of its own. */
export async function joinCommand(
  address: string | undefined,
  options: JoinOptions,
  terminal: Terminal,
): Promise<void> {
  const { env } = terminal
  const directory = options.directory ?? terminal.cwd
  if (options.leave === true) return await leave(directory, options, terminal)
  const { url, project: inAddress } = parseAddress(address)
  const token = await readToken(options, terminal)
  const path = toPath(options.project ?? inAddress)
  const isInvitation = token.startsWith('wmi_')
  const answer = await askServer(
    { url, token },
    `${path}/team/${isInvitation ? 'redeem' : 'me'}`,
    isInvitation ? { method: 'POST', body: '{}' } : {},
  )
  const { project, role, name, token: exchanged } = parse(member, answer)
  const { state } = await initialiseProject(directory)
  const server = { url, project, token: exchanged ?? token }
  setJoinedServer(state, env, server)
  const pushed = options.push === true ? await pushAll(directory, server, terminal) : undefined
  const remote = createTeamClient(server, state)
  const { refreshAfterCommand } = await import('./keep-copy.ts')
  await refreshAfterCommand({ state, remote, logger: SILENT })
  const lines = [`joined ${project} at ${url} as ${name}, ${role}`, ...describePushed(pushed)]
  say(terminal, options, { url, project, name, role, ...(pushed && { pushed }) }, lines)
}

/** Sends the knowledge of the clone's own store. */
async function pushAll(
  directory: string,
  server: JoinedServer,
  terminal: Terminal,
): Promise<Pushed> {
  await using project = await openProject(directory)
  const { push } = await import('../../sync/transfer/transfer.ts')
  return await push(storeContext(project, terminal), createTeamClient(server, project.state))
}

function describePushed(pushed: Pushed | undefined): readonly string[] {
  if (pushed === undefined) return []
  const { sent, created, updated, relations, renumbered, unreadable } = pushed
  const some = (count: number, what: string) => (count === 0 ? [] : [`${count} ${what}`])
  return [
    `sent ${sent} entities: ${created} are new there, ${updated} changed, ${relations} relations`,
    ...some(renumbered.length, 'got another number, because theirs was taken'),
    ...some(unreadable.length, 'are damaged here and were not sent: waymark doctor'),
  ]
}

async function leave(directory: string, options: JoinOptions, terminal: Terminal): Promise<void> {
  const { state } = await initialiseProject(directory)
  const server = findJoinedServer(state, terminal.env)
  let entities: number | undefined
  if (options.pull === true && server !== undefined) {
    await using project = await openProject(directory)
    const { pull } = await import('../../sync/transfer/transfer.ts')
    const context = storeContext(project, terminal)
    const { report } = await pull(context, createTeamClient(server, state), {})
    entities = report.created + report.updated
  }
  setJoinedServer(state, terminal.env, undefined)
  const { forgetCopy } = await import('../../sync/transfer/copy.ts')
  forgetCopy(state)
  const lines = ['this clone uses its own store again']
  if (entities !== undefined) lines.push(`${entities} entities came from the server`)
  say(terminal, options, { left: true, ...(entities !== undefined && { entities }) }, lines)
}

/** The clone's own store, for the person who runs the command. */
function storeContext({ store }: OpenProject, terminal: Terminal): Context {
  const write = (text: string): void => terminal.err(`${text}\n`)
  return createContext({
    store,
    agent: { name: null, surface: 'cli', assumed: true },
    logger: createLogger({ level: 'warn', target: 'waymark::join', write }),
  })
}

function say(
  terminal: Terminal,
  { json }: GlobalOptions,
  value: object,
  lines: readonly string[],
): void {
  terminal.out(json === true ? `${JSON.stringify(value)}\n` : `${lines.map(plain).join('\n')}\n`)
}

/** `https://waymark.example.com`, also with `/projects/<name>` behind it. */
function parseAddress(address: string | undefined): { url: string; project?: string } {
  const given = SAFE_ADDRESS.parse(address)
  if (given === undefined) {
    const message = `url: ${SAFE_ADDRESS.expects}`
    throw new Failure('invalid_input', message, { details: { field: 'url' } })
  }
  const { origin, pathname } = new URL(given)
  const parts = pathname.split('/').filter((part) => part !== '')
  const at = parts.indexOf('projects')
  const project = at === -1 ? undefined : parts[at + 1]
  const before = project === undefined ? parts : parts.slice(0, at)
  return {
    url: [origin, ...before].join('/'),
    ...(project !== undefined && { project }),
  }
}

function toPath(project: string | undefined): string {
  return project === undefined ? '' : `/projects/${encodeURIComponent(project)}`
}

/** Never an argument: other users of the machine see those. */
async function readToken({ tokenFile }: JoinOptions, terminal: Terminal): Promise<string> {
  const token = (await givenToken(tokenFile, terminal)).trim()
  if (/^[\w.~+/-]+=*$/.test(token)) return token
  throw new Failure(
    'invalid_input',
    'token: set WAYMARK_TOKEN, pass --token-file, or send the token or invitation into standard input',
    { details: { field: 'token' } },
  )
}

async function givenToken(file: string | undefined, terminal: Terminal): Promise<string> {
  if (file !== undefined) {
    try {
      return readFileSync(file, 'utf8')
    } catch (cause) {
      const details = { field: 'token-file' }
      throw new Failure('invalid_input', 'token-file: cannot be read', { details, cause })
    }
  }
  const { WAYMARK_TOKEN: token = '' } = terminal.env
  return token !== '' || terminal.interactive ? token : await terminal.readStdin()
}
