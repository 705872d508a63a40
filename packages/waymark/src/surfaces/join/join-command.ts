import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { Failure } from '../../core/error.ts'
import { parse } from '../../core/input/parse.ts'
import { initialiseProject } from '../../core/project/project.ts'
import { SAFE_ADDRESS } from '../../core/project/setting-kinds.ts'
import type { GlobalOptions } from '../run-operation.ts'
import { plain } from '../terminal/escape.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { setJoinedServer } from './joined-servers.ts'
import { askServer } from './team-client.ts'

export interface JoinOptions extends GlobalOptions {
  readonly project?: string
  readonly tokenFile?: string
  /** Back to the store of the clone. */
  readonly leave?: boolean
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
  if (options.leave === true) {
    const { state } = await initialiseProject(directory)
    setJoinedServer(state, env, undefined)
    return say(terminal, options, { left: true }, 'this clone uses its own store again')
  }
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
  setJoinedServer(state, env, { url, project, token: exchanged ?? token })
  const text = `joined ${project} at ${url} as ${name}, ${role}`
  say(terminal, options, { url, project, name, role }, text)
}

function say(terminal: Terminal, { json }: GlobalOptions, value: object, text: string): void {
  terminal.out(json === true ? `${JSON.stringify(value)}\n` : `${plain(text)}\n`)
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
