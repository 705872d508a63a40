import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { WAYMARK } from '../../e2e/binary.ts'

export interface Message {
  readonly jsonrpc: string
  readonly id?: number | string | null
  readonly result?: Record<string, unknown> & {
    readonly content?: readonly { readonly type: string; readonly text: string }[]
    readonly isError?: boolean
    readonly tools?: readonly { readonly name: string; readonly inputSchema: object }[]
  }
  readonly error?: { readonly code: number; readonly message: string }
}

export interface UltragitServer extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams
  /** Everything that came out on standard output, line by line. */
  readonly lines: readonly string[]
  readonly log: { text: string }
  readonly closed: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  /** Sends bytes as they are. */
  send(bytes: string | Buffer): void
  request(method: string, params?: object): Promise<Message>
  call(name: string, args: object): Promise<Message>
  /** The answer of a tool, read as JSON. */
  ask(name: string, args: object): Promise<Record<string, unknown>>
  /** The next line that was not asked for. */
  next(): Promise<Message>
}

/** `waymark mcp start` in a process of its own, spoken to in raw JSON-RPC. */
export async function startUltragit(
  cwd: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<UltragitServer> {
  const child = spawn(process.execPath, [WAYMARK, 'mcp', 'start', ...args], {
    cwd,
    env: { ...process.env, ...env },
  })
  const lines: string[] = []
  const log = { text: '' }
  const waiting = new Map<number, (message: Message) => void>()
  const unasked: Message[] = []
  let awaited: ((message: Message) => void) | undefined
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log.text += text))
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    const message = JSON.parse(line) as Message
    const asked = typeof message.id === 'number' ? waiting.get(message.id) : undefined
    if (asked !== undefined) asked(message)
    else if (awaited === undefined) unasked.push(message)
    else awaited(message)
  })
  const closed = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  let last = 0
  const request: UltragitServer['request'] = (method, params = {}) => {
    last += 1
    const id = last
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return new Promise((resolve) => waiting.set(id, resolve))
  }
  const call: UltragitServer['call'] = (name, args) =>
    request('tools/call', { name, arguments: args })
  await request('initialize', {
    protocolVersion: '2024-11-05',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  return {
    child,
    lines,
    log,
    closed,
    send: (bytes) => void child.stdin.write(bytes),
    request,
    call,
    ask: async (name, args) =>
      JSON.parse((await call(name, args)).result?.content?.[0]?.text ?? '') as Record<
        string,
        unknown
      >,
    next: () => {
      const ready = unasked.shift()
      if (ready !== undefined) return Promise.resolve(ready)
      return new Promise((resolve) => {
        awaited = (message) => {
          awaited = undefined
          resolve(message)
        }
      })
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}
