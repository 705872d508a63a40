import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { readCpu } from '../baton/process-usage.ts'

/** The built command of this checkout. */
export const WAYMARK = fileURLToPath(
  new URL('../../packages/waymark/bin/waymark.js', import.meta.url),
)

/** Arguments of a tool, as an agent sends them. */
export type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>]

/** A process that answers each line that it is sent with one line, and the CPU time that it has used. */
export class LineServer implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #lines: Interface
  readonly #waiting = new Map<number, (answer: Record<string, unknown>) => void>()
  #count = 0

  constructor(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env) {
    this.#child = spawn(process.execPath, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] })
    this.#lines = createInterface({ input: this.#child.stdout })
    this.#lines.on('line', (line) => this.#settle(line))
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Microseconds of CPU time, in all threads. */
  get cpu(): number {
    return readCpu(this.pid)
  }

  /** Memory that no other process shares, in megabytes. */
  get privateMemory(): number {
    const text = readFileSync(`/proc/${this.#child.pid}/smaps_rollup`, 'latin1')
    const kilobytes = [...text.matchAll(/^Private_\w+:\s+(\d+)/gm)].map(([, size]) => Number(size))
    return kilobytes.reduce((sum, size) => sum + size, 0) / 1024
  }

  async request(method: string, params: object): Promise<Record<string, unknown>> {
    this.#count += 1
    const id = this.#count
    const answer = new Promise<Record<string, unknown>>((resolve) => this.#waiting.set(id, resolve))
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return await answer
  }

  notify(method: string): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method })}\n`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exit = once(this.#child, 'exit')
    this.#child.stdin.end()
    await exit
  }

  #settle(line: string): void {
    const answer = JSON.parse(line) as Record<string, unknown>
    this.#waiting.get(Number(answer['id']))?.(answer)
    this.#waiting.delete(Number(answer['id']))
  }
}

interface Host {
  /** As its MCP client calls itself. */
  readonly client?: string
  readonly env?: NodeJS.ProcessEnv
}

/** Starts `waymark serve` of some checkout and greets it. */
export async function serve(
  directory: string,
  command = WAYMARK,
  { client = 'bench', env }: Host = {},
): Promise<LineServer> {
  const server = new LineServer([command, 'serve'], directory, env)
  await server.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: client, version: '1' },
  })
  server.notify('notifications/initialized')
  return server
}

export async function ask(server: LineServer, [name, args]: Call): Promise<unknown> {
  const answer = await server.request('tools/call', { name, arguments: args })
  const { result } = answer as { result?: { isError?: boolean; structuredContent?: unknown } }
  if (result === undefined || result.isError === true)
    throw new Error(`${name}: ${JSON.stringify(answer)}`)
  return result.structuredContent
}

/** Microseconds of CPU time of the server that some work takes. */
export async function cpuOf(server: LineServer, work: () => Promise<unknown>): Promise<number> {
  const before = server.cpu
  await work()
  return server.cpu - before
}
