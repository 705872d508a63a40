import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import {
  Client as ModernClient,
  type OAuthClientProvider,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { WAYMARK } from './binary.ts'

type Fields = Record<string, unknown>

/** `waymark serve --http` in a process of its own. */
export interface HttpServer extends AsyncDisposable {
  readonly child: ChildProcess
  /** What it said on standard output when it was ready. */
  readonly ready: Fields & {
    readonly url: string
    readonly port: number
    readonly secret_file?: string
  }
  /** Address of the server, without a path. */
  readonly origin: string
  readonly secret: string
  readonly log: { text: string }
  readonly closed: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  /** Asks with the secret, unless other headers are given. */
  ask(path: string, init?: RequestInit): Promise<Response>
  kill(signal: NodeJS.Signals): Promise<void>
}

export async function startHttp(
  cwd: string,
  args: readonly string[] = ['--http', '0'],
  env: NodeJS.ProcessEnv = {},
): Promise<HttpServer> {
  const child = spawn(process.execPath, [WAYMARK, 'serve', ...args, '--json'], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log = { text: '' }
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log.text += text))
  const closed = new Promise<Awaited<HttpServer['closed']>>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  const line = await new Promise<string>((resolve, reject) => {
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      if (out.includes('\n')) resolve(out)
    })
    void closed.then(({ code }) => reject(new Error(`ended with ${code}: ${log.text}`)))
  })
  const ready = JSON.parse(line) as HttpServer['ready']
  const secret =
    ready.secret_file === undefined ? '' : readFileSync(ready.secret_file, 'utf8').trim()
  const origin = `http://127.0.0.1:${ready.port}`
  return {
    child,
    ready,
    origin,
    secret,
    log,
    closed,
    ask: (path, init = {}) =>
      fetch(`${origin}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${secret}`, ...(init.headers as object) },
      }),
    kill: async (signal) => {
      child.kill(signal)
      await closed
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}

export function post(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  }
}

/** An official client, whichever generation. */
interface Connected extends AsyncDisposable {
  readonly sessionId: string | undefined
  tools(): Promise<string[]>
  call(name: string, args?: Fields): Promise<{ isError?: boolean; structuredContent: Fields }>
}

interface ConnectOptions {
  readonly token?: string
  readonly authProvider?: OAuthClientProvider
}

function requestInit({ token }: ConnectOptions): RequestInit {
  return token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }
}

/** The official 1.x client, which keeps a session. */
export async function connectLegacy(url: string, options: ConnectOptions): Promise<Connected> {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: requestInit(options),
  })
  const client = new Client({ name: 'official', version: '1' })
  // The 1.x types predate exact optional properties; at run time this is how the package is meant to be used.
  await client.connect(transport as Parameters<Client['connect']>[0])
  return toConnected(client, () => transport.sessionId)
}

/** The official 2.x client, which asks for the newest protocol. */
export async function connectModern(url: string, options: ConnectOptions): Promise<Connected> {
  const { authProvider } = options
  const transport = new ModernTransport(new URL(url), {
    requestInit: requestInit(options),
    ...(authProvider !== undefined && { authProvider }),
  })
  const info = { name: 'official', version: '2' }
  const client = new ModernClient(info, { versionNegotiation: { mode: 'auto' } })
  await client.connect(transport)
  return toConnected(client, () => undefined)
}

function toConnected(
  client: Client | ModernClient,
  sessionId: () => string | undefined,
): Connected {
  return {
    get sessionId() {
      return sessionId()
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) =>
      (await client.callTool({ name, arguments: args })) as Awaited<ReturnType<Connected['call']>>,
    [Symbol.asyncDispose]: () => client.close(),
  }
}
