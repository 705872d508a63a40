import pg from 'pg'
import { Failure } from '../error.ts'
import { CommitListener } from './commit-listener.ts'
import { isLost } from './failures.ts'
import { isUnprepared, isWornOut } from './wire/prepared.ts'

/** A connection on which statements may be sent before the answers to earlier ones have come. */
export type Client = pg.PoolClient

export interface PoolOptions {
  /** As in `postgres://user@host/database`. */
  readonly url: string
  /** Connections of this process, shared by all projects. */
  readonly connections?: number
  /** How many milliseconds a call may wait for a connection or a lock. */
  readonly patience?: number
}

const { builtins } = pg.types
const NUMBERS: ReadonlySet<number> = new Set([builtins.INT8, builtins.NUMERIC])

/** As SQLite gives them: numbers for all integers and sums, 0 and 1 for booleans. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (id, format) => {
    if (NUMBERS.has(id)) return Number
    if (id === builtins.BOOL) return (value: string) => (value === 't' ? 1 : 0)
    return pg.types.getTypeParser(id, format as 'text')
  },
}

/** How the text of a value of this type is read. */
export function parserOf(type: number): (text: string) => unknown {
  return TYPES.getTypeParser(type, 'text')
}

/** Calls that may wait for a connection; more are refused at once instead of piling up. */
const MOST_WAITING = 1000

/** The connections of one process to a database, for all projects in it. */
export class Pool implements AsyncDisposable {
  readonly patience: number
  readonly commits: CommitListener
  readonly #pool: pg.Pool
  readonly #connections: number

  constructor({ url, connections = 10, patience = 15_000 }: PoolOptions) {
    this.patience = patience
    this.#connections = connections
    const config: pg.ClientConfig = {
      connectionString: url,
      types: TYPES,
      keepAlive: true,
      application_name: 'waymark',
    }
    this.#pool = new pg.Pool({
      ...config,
      pipeline: true,
      max: connections,
      connectionTimeoutMillis: patience,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
    })
    // An idle connection was lost. The next call opens another one.
    this.#pool.on('error', () => {})
    // One in use was lost: its statements are rejected, and without a listener the process would end as well.
    this.#pool.on('connect', (client) => client.on('error', () => {}))
    this.commits = new CommitListener(config, () => this.#pool)
  }

  /** Runs `work` on a connection that nothing else uses meanwhile. */
  async use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    if (this.#pool.waitingCount >= MOST_WAITING) throw busy()
    let client: Client
    try {
      client = await this.#pool.connect()
    } catch (error) {
      throw this.#toConnectFailure(error)
    }
    try {
      const result = await work(client)
      client.release(isWornOut(client) || isInTransaction(client))
      return result
    } catch (error) {
      client.release(isLost(error) || isUnprepared(error) || isInTransaction(client))
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.commits[Symbol.asyncDispose]()
    await this.#pool.end()
  }

  #toConnectFailure(error: unknown): unknown {
    const isFull = this.#pool.totalCount >= this.#connections && this.#pool.idleCount === 0
    // Every connection was in use for as long as a call waits; another error is one of the server.
    const isWait = error instanceof Error && error.message.startsWith('timeout exceeded')
    return isFull && isWait ? busy(error) : error
  }
}

/** The next user of the connection would get the error of the last one instead of a transaction of its own. */
function isInTransaction(client: Client): boolean {
  return client.getTransactionStatus() !== 'I'
}

function busy(cause?: unknown): Failure {
  return new Failure('busy', 'all connections to the database are in use; try again', { cause })
}
