import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpClient } from './client/http-client.ts'
import { withSilenceLimit } from './client/load.ts'
import type { Client } from './client/load.ts'
import { StdioClient } from './client/stdio-client.ts'
import type { Contender } from './contenders.ts'
import { readCpu, readRss } from './process-usage.ts'
import { INITIALIZED, toGreeting, toToolList } from './wire.ts'
import type { Wire } from './wire.ts'

/** What it took from launching a server to one of its first answers. */
export interface ColdStart {
  readonly elapsedMs: number
  readonly cpuMs: number
}

/** What it took until a client was greeted, and until it knew the tools. */
export interface ColdStarts {
  readonly greeted: ColdStart
  readonly listed: ColdStart
}

export interface StartOptions {
  /** The folder of the compiled servers. */
  readonly folder: string
  /** Whether to load the probe that can tell about live memory. */
  readonly withProbe?: boolean
}

/** How a server was started and greeted. */
interface Greeting {
  readonly greeted: ColdStart
  readonly startedAt: number
  readonly wire: Wire
}

type PipedProcess = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable }

/** How long background threads get to finish what a load has left to them. */
const SETTLE_MS = 10

/** A contender that runs, and a client that has been greeted by it. */
export class ServerProcess implements Disposable {
  readonly client: Client
  readonly #greeted: ColdStart
  readonly #startedAt: number
  readonly #wire: Wire
  readonly #child: PipedProcess
  readonly #pid: number

  private constructor(child: PipedProcess, client: Client, start: Greeting) {
    this.#child = child
    this.#pid = child.pid ?? 0
    this.client = client
    this.#greeted = start.greeted
    this.#startedAt = start.startedAt
    this.#wire = start.wire
  }

  static async start(contender: Contender, options: StartOptions): Promise<ServerProcess> {
    const startedAt = performance.now()
    const child = launch(contender, options)
    try {
      const client = await connect(contender, child)
      const greeting = await client.ask(toGreeting(contender.wire))
      const greeted = usedSince(startedAt, child.pid ?? 0)
      if (!greeting.includes('"result":')) throw new Error(`no greeting: ${greeting}`)
      const { wire } = contender
      if (wire === 'legacy') await client.tell(INITIALIZED)
      return new ServerProcess(child, client, { greeted, startedAt, wire })
    } catch (error) {
      child.kill('SIGKILL')
      throw error
    }
  }

  /** Asks for the tools, as clients do once they are greeted, and says what everything up to here took. */
  async coldStarts(): Promise<ColdStarts> {
    const list = await this.client.ask(toToolList(this.#wire))
    const listed = usedSince(this.#startedAt, this.#pid)
    if (!list.includes('"echo"')) throw new Error(`no tools: ${list}`)
    return { greeted: this.#greeted, listed }
  }

  /** CPU used so far, in microseconds, once the process has come to rest. */
  async cpu(): Promise<number> {
    await sleep(SETTLE_MS)
    return readCpu(this.#pid)
  }

  get rss(): number {
    return readRss(this.#pid)
  }

  /** Bytes that survive a garbage collection; the process needs the probe. */
  liveMemory(): Promise<number> {
    return withSilenceLimit((resolve, reject) => {
      this.#child.once('message', (bytes) => resolve(Number(bytes)))
      this.#child.send('collect', (error) => error && reject(error))
    })
  }

  [Symbol.dispose](): void {
    this.client.close()
    this.#child.kill('SIGKILL')
  }
}

function usedSince(startedAt: number, pid: number): ColdStart {
  return { elapsedMs: performance.now() - startedAt, cpuMs: readCpu(pid) / 1000 }
}

function launch({ entry }: Contender, { folder, withProbe }: StartOptions): PipedProcess {
  const script = join(folder, `${entry}.mjs`)
  const probe = ['--expose-gc', '--import', join(folder, 'memory-probe.mjs')]
  const child = spawn(process.execPath, [...(withProbe === true ? probe : []), script], {
    // Some contenders fill the screen with warnings about their own listeners.
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
    stdio: ['pipe', 'pipe', 'inherit', ...(withProbe === true ? (['ipc'] as const) : [])],
  })
  if (child.stdin === null || child.stdout === null) throw new Error('the server has no pipes')
  return child as PipedProcess
}

async function connect({ transport, wire }: Contender, child: PipedProcess): Promise<Client> {
  if (transport === 'stdio') return new StdioClient(child.stdin, child.stdout)
  const port = await withSilenceLimit<number>((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(Number(line)))
    child.once('exit', (code) => reject(new Error(`the server exited with ${code}`)))
  })
  return new HttpClient(port, wire)
}
