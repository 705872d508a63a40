import { spawn } from 'node:child_process'
import { AGENT_VARIABLES } from '../../src/surfaces/agent-host.ts'
import { WAYMARK } from './binary.ts'

const PERSON = Object.fromEntries(AGENT_VARIABLES.map((name) => [name, '']))

/** Starts `waymark ui` as the person and waits for its first line. */
export async function startUi(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [WAYMARK, 'ui', ...args], {
    cwd,
    env: { ...process.env, ...PERSON, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const line = await new Promise<string>((resolve) => {
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      if (out.includes('\n')) resolve(out)
    })
    void closed.then(() => resolve(out))
  })
  return {
    line,
    err: () => err,
    closed,
    kill: async (signal: NodeJS.Signals) => {
      child.kill(signal)
      await closed
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}

export interface Started {
  readonly url: string
  readonly serving: boolean
}

export async function signIn(address: string): Promise<string> {
  const { origin, hash } = new URL(address)
  const response = await fetch(`${origin}/ui/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: hash.replace('#key=', '') }),
  })
  return ((await response.json()) as { token: string }).token
}
