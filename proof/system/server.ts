import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const COMMAND = fileURLToPath(
  new URL('../../packages/waymark/bin/waymark.js', import.meta.url),
)
const BUILT = fileURLToPath(new URL('../../packages/waymark/dist/', import.meta.url))

export function serverObstacle(): string | undefined {
  return existsSync(BUILT) ? undefined : 'needs the built command: npm run build'
}

export interface Server extends AsyncDisposable {
  /** Every line it has said after it was initialised. */
  readonly lines: readonly string[]
  /** Whether it still runs. */
  isAlive(): boolean
  send(text: string | Buffer): void
  /** Waits for so many lines, or for its end. */
  untilAnswers(count: number): Promise<void>
  /** Ends its input and waits until it has gone. */
  finish(): Promise<number | null>
  kill(): Promise<void>
}

/** The installed command as a server in a process of its own, initialised and spoken to in raw lines. */
export async function startServer(
  directory: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Server> {
  const command = [COMMAND, 'serve', ...(args.length > 0 ? args : ['--toolsets', 'all'])]
  const child = spawn(process.execPath, command, {
    cwd: directory,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const resolve of waiting) resolve()
    waiting.clear()
  }
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    wake()
  })
  const closed = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      resolve(code)
      wake()
    })
  })
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null
  const untilAnswers = async (count: number): Promise<void> => {
    while (lines.length < count && isAlive()) {
      await new Promise<void>((resolve) => waiting.add(resolve))
    }
  }
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await closed
  }
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`)
  await untilAnswers(1)
  lines.length = 0
  return {
    lines,
    isAlive,
    send: (text) => void child.stdin.write(text),
    untilAnswers,
    finish: async () => {
      child.stdin.end()
      return await closed
    },
    kill,
    [Symbol.asyncDispose]: kill,
  }
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'initialize',
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'proof', version: '1' },
  },
}
