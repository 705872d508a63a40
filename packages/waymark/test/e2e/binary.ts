import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { AGENT_VARIABLES } from '../../src/surfaces/agent-host.ts'

/** The command as it is installed. `npm run build` makes what it loads. */
export const WAYMARK = fileURLToPath(new URL('../../bin/waymark.js', import.meta.url))

/** Tests may themselves be run by an agent. */
export const NO_AGENT = Object.fromEntries(AGENT_VARIABLES.map((name) => [name, '']))

export interface Finished {
  readonly exit: number | null
  readonly out: string
  readonly err: string
}

export function waymark(
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Finished> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, ...NO_AGENT, ...env } }
    const child = execFile(process.execPath, [WAYMARK, ...args], options, (_error, out, err) => {
      resolve({ exit: child.exitCode, out, err })
    })
    child.stdin?.end()
  })
}

type Message = Record<string, unknown> & {
  id?: number
  result?: Record<string, unknown>
  error?: Record<string, unknown>
}

export interface ServerProcess extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams
  /** Every line that came out of the process, as it came. */
  readonly lines: readonly string[]
  readonly log: { text: string }
  request(method: string, params?: object): Promise<Message>
  create(title: string): Promise<Message>
  /** Several in one write: a signal that follows the first answer finds all of them read. */
  createAtOnce(count: number): readonly Promise<Message>[]
  readonly closed: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
}

/** `waymark serve` in a process of its own, spoken to in raw JSON-RPC. Requests of a killed process never settle. */
export function startServer(
  cwd: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<ServerProcess> {
  return startServerUnder([], cwd, { args, env })
}

/** The same, started by another program that watches it. */
export async function startServerUnder(
  watcher: readonly string[],
  cwd: string,
  {
    args = [],
    env = {},
    client = 'e2e',
  }: { args?: readonly string[]; env?: NodeJS.ProcessEnv; client?: string } = {},
): Promise<ServerProcess> {
  const serve = [process.execPath, WAYMARK, 'serve', '--toolsets', 'all', ...args]
  const [program = '', ...rest] = [...watcher, ...serve]
  const child = spawn(program, rest, { cwd, env: { ...process.env, ...env } })
  const lines: string[] = []
  const log = { text: '' }
  const waiting = new Map<number, (message: Message) => void>()
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log.text += text))
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    const message = JSON.parse(line) as Message
    if (message.id !== undefined) waiting.get(message.id)?.(message)
  })
  const closed = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  let last = 0
  const request = (method: string, params: object = {}) => {
    last += 1
    const id = last
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return new Promise<Message>((resolve) => waiting.set(id, resolve))
  }
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: client, version: '1' },
  })
  const create = (title: string) =>
    request('tools/call', { name: 'entity_create', arguments: { type: 'note', title } })
  return {
    child,
    lines,
    log,
    request,
    create,
    createAtOnce: (count) => {
      child.stdin.cork()
      const answers = Array.from({ length: count }, (_, at) => create(`note ${at}`))
      child.stdin.uncork()
      return answers
    },
    closed,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}
