import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { NO_AGENT, WAYMARK, waymark } from '../binary.ts'
import { connectOfficial } from '../official-client.ts'

export type Say = (line: string) => void

type Fields = Record<string, unknown>

/** A session of a host: the official MCP client with `waymark serve` in a process of its own. */
export interface Agent extends AsyncDisposable {
  /** The text that a model reads. */
  ask(tool: string, args?: Fields): Promise<string>
  /** The text of an answer that has to be an error. */
  refused(tool: string, args?: Fields): Promise<string>
  /** Takes the task that is offered first. */
  claim(): Promise<Claim & { readonly text: string }>
  leases(): Promise<readonly Claim[]>
  /** The host disconnects. */
  end(): Promise<void>
  kill(): Promise<void>
}

export interface Claim {
  readonly number: number
  readonly fence: number
}

export interface ListedAgent {
  readonly id: string
  readonly name: string
  readonly presence: string
}

/** A person who watches the project live. */
export interface Watching extends AsyncDisposable {
  shows(text: string): Promise<void>
}

export interface Stage {
  readonly cwd: string
  readonly say: Say
  chapter(title: string): void
  /** A command of the person, which has to succeed. */
  person(...words: readonly string[]): Promise<string>
  /** Starts a session of a host; `label` is its name in the transcript. */
  start(host: string, label?: string): Promise<Agent>
  /** `waymark watch` in a pipe, from now on. */
  watch(): Watching
  /** Agents by name. */
  agents(): Promise<ReadonlyMap<string, ListedAgent>>
}

export function createStage(cwd: string, say: Say): Stage {
  const show = (prompt: string, output: string) => {
    say(prompt)
    for (const line of output.trimEnd().split('\n')) say(`    ${line}`)
  }
  return {
    cwd,
    say,
    chapter: (title) => say(`\n## ${title}\n`),
    async person(...words) {
      const { exit, out, err } = await waymark(cwd, words)
      show(['$ waymark', ...words.map(quoted)].join(' '), `${out}${err}`)
      if (exit !== 0) throw new Error(`waymark ${words.join(' ')}: ${err}`)
      return out
    },
    start: (host, label = host) => startAgent({ cwd, host, label, show, say }),
    watch: () => startWatch(cwd),
    async agents() {
      const { out } = await waymark(cwd, ['agent', 'list', '--json'])
      const { agents } = JSON.parse(out) as { agents: ListedAgent[] }
      return new Map(agents.map((agent) => [agent.name, agent]))
    },
  }
}

function startWatch(cwd: string): Watching {
  const env = { ...process.env, ...NO_AGENT }
  const child = spawn(process.execPath, [WAYMARK, 'watch', '--since', '0'], { cwd, env })
  const closed = new Promise((resolve) => child.once('close', resolve))
  let text = ''
  const seen = new EventEmitter()
  child.once('close', () => seen.emit('error', new Error('waymark watch has ended')))
  seen.on('error', () => {})
  child.stdout.setEncoding('utf8').on('data', (data: string) => {
    text += data
    seen.emit('more')
  })
  return {
    async shows(wanted) {
      while (!text.includes(wanted)) await once(seen, 'more')
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

interface AgentOptions {
  readonly cwd: string
  readonly host: string
  readonly label: string
  readonly show: (prompt: string, output: string) => void
  readonly say: Say
}

async function startAgent({ cwd, host, label, show, say }: AgentOptions): Promise<Agent> {
  const server = await connectOfficial(['serve'], { cwd, name: host })
  const closed = new Promise<void>((resolve) => {
    server.client.onclose = resolve
  })
  const send = async (tool: string, args: Fields) => {
    const result = await server.result(tool, args)
    show(`${label}> ${tool} ${JSON.stringify(args)}`, result.text)
    return result
  }
  return {
    async ask(tool, args = {}) {
      const { isError, text } = await send(tool, args)
      if (isError) throw new Error(`${label}: ${text}`)
      return text
    },
    async refused(tool, args = {}) {
      const { isError, text } = await send(tool, args)
      if (!isError) throw new Error(`${label}: ${tool} was not refused: ${text}`)
      return text
    },
    async claim() {
      const { text } = await send('task_next', { claim: true })
      const [, number] = /^claimed: #(\d+)/.exec(text) ?? []
      const [, fence] = /^fence: (\d+)$/m.exec(text) ?? []
      return { number: Number(number), fence: Number(fence), text }
    },
    async leases() {
      const { text } = await send('brief', {})
      const held = text.matchAll(/^- #(\d+) .* · fence (\d+) · /gm)
      return [...held].map(([, number, fence]) => ({
        number: Number(number),
        fence: Number(fence),
      }))
    },
    async end() {
      say(`${label} ends`)
      await server.client.close()
    },
    async kill() {
      say(`${label} is killed with SIGKILL`)
      process.kill(server.pid, 'SIGKILL')
      await closed
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function quoted(word: string): string {
  return /^[\w@:./#-]+$/.test(word) ? word : `"${word}"`
}
