import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../packages/baton/test/support/random.ts'
import type { Replica } from './replica.ts'

export interface Answer {
  readonly status: number
  readonly body: unknown
  /** The replica that has answered. */
  readonly replica: number
}

export interface CallOptions {
  readonly project: TeamProject
  readonly agent: string
  /** Where it is tried first. */
  readonly home: number
  readonly random: Random
  /** A read is repeated without a key. */
  readonly isRead?: boolean
}

/** A project of the database, and a token for it. */
export interface TeamProject {
  readonly id: string
  readonly name: string
  readonly token: string
}

export interface CallerOptions {
  readonly replicas: readonly Replica[]
  /** A call that no replica has done for so many milliseconds is stuck. */
  readonly patience: number
}

/** So long one try may take; replicas answer earlier, if only with 503. */
const TIMEOUT_MS = 40_000
const PAUSE_MS = 60

/** Calls operations as a client of a team does: whatever happens, it repeats the call under the same key elsewhere. */
export class Caller {
  readonly #options: CallerOptions
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Infinity })
  readonly counts = { repeated: 0, unavailable: 0, disconnected: 0 }
  readonly stuck: string[] = []
  readonly errors: string[] = []

  constructor(options: CallerOptions) {
    this.#options = options
  }

  /** Undefined when it had to give up. */
  async call(
    operation: string,
    input: object,
    { project, agent, home, random, isRead }: CallOptions,
  ): Promise<Answer | undefined> {
    const { replicas, patience } = this.#options
    const key = isRead === true ? undefined : crypto.randomUUID()
    const deadline = performance.now() + patience
    for (let replica = home; performance.now() < deadline; replica += 1) {
      const at = replica % replicas.length
      const answer = await this.#try(at, { operation, input, project, agent, key })
      if (answer !== undefined) {
        if (answer.status < 500) return answer
        if (answer.status !== 503) this.errors.push(`${operation}: ${JSON.stringify(answer.body)}`)
        this.counts.unavailable += 1
      } else this.counts.disconnected += 1
      this.counts.repeated += 1
      await sleep(PAUSE_MS + random.below(PAUSE_MS))
    }
    this.stuck.push(operation)
    return undefined
  }

  close(): void {
    this.#agent.destroy()
  }

  #try(
    at: number,
    { operation, input, project, agent, key }: Sent,
  ): Promise<{ status: number; body: unknown; replica: number } | undefined> {
    const { replicas } = this.#options
    const { name, token } = project
    const content = JSON.stringify(input)
    return new Promise((resolve) => {
      const sent = request(
        {
          agent: this.#agent,
          host: '127.0.0.1',
          port: replicas[at]?.port,
          path: `/projects/${name}/api/${operation}`,
          method: 'POST',
          timeout: TIMEOUT_MS,
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(content),
            'waymark-agent': agent,
            ...(key !== undefined && { 'idempotency-key': key }),
          },
        },
        (response) => {
          const parts: Buffer[] = []
          response.on('data', (part: Buffer) => parts.push(part))
          response.on('error', () => resolve(undefined))
          response.on('close', () => {
            if (!response.complete) return resolve(undefined)
            const text = Buffer.concat(parts).toString()
            const isJson = response.headers['content-type']?.includes('json') === true
            const body: unknown = isJson ? JSON.parse(text) : text
            resolve({ status: response.statusCode ?? 0, body, replica: at })
          })
        },
      )
      sent.on('timeout', () => sent.destroy())
      sent.on('error', () => resolve(undefined))
      sent.end(content)
    })
  }
}

interface Sent {
  readonly operation: string
  readonly input: object
  readonly project: TeamProject
  readonly agent: string
  readonly key: string | undefined
}
