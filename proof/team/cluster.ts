import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  createServerFolder,
  createStandby,
  type PostgresServer,
  startPostgres,
} from '../../scripts/postgres/server.ts'

const SETTINGS = {
  wal_level: 'replica',
  max_wal_senders: '4',
  // What the standby has not fetched yet must still be there after a restart.
  wal_keep_size: '512MB',
  hot_standby: 'on',
}

/** A primary with a synchronous standby, and what operators do to them. */
export class Cluster implements AsyncDisposable {
  readonly #folder = createServerFolder()
  #primary: Node | undefined
  #standby: Node | undefined
  #nodes = 0

  static async start({ hasStandby }: { readonly hasStandby: boolean }): Promise<Cluster> {
    const cluster = new Cluster()
    // The servers run as another user, who must get to their folders.
    chmodSync(cluster.#folder, 0o711)
    cluster.#primary = await cluster.#startNode(cluster.#nextFolder())
    if (hasStandby) await cluster.addStandby()
    return cluster
  }

  get url(): string {
    return this.#required().server.url
  }

  /** Where the primary listens. */
  get socket(): string {
    return join(this.#required().folder, '.s.PGSQL.5432')
  }

  /** Kills the primary and starts it again from what it had written. */
  async restart(): Promise<void> {
    const { folder, server } = this.#required()
    await server.kill()
    this.#primary = await this.#startNode(folder)
  }

  /**
   * Kills the primary for good; the standby takes its place. Clients are sent there before it has been promoted, as a
   * proxy does that only looks who is alive.
   */
  async failOver(onSwitch: () => void): Promise<void> {
    const standby = this.#standby
    if (standby === undefined) throw new Error('there is no standby')
    await this.#untilStreaming()
    await this.#required().server.kill()
    this.#primary = standby
    this.#standby = undefined
    onSwitch()
    await sleep(300)
    await query(standby.server.url, 'SELECT pg_promote(true)')
  }

  /** From then on a commit is acknowledged when the standby has it too. */
  async addStandby(): Promise<void> {
    const primary = this.#required()
    const folder = this.#nextFolder()
    await copyWhileRunning(primary, folder)
    this.#standby = await this.#startNode(folder, {
      primary_conninfo: `host=${primary.folder} port=5432 user=waymark application_name=standby`,
    })
    await query(primary.server.url, "ALTER SYSTEM SET synchronous_standby_names = 'standby'")
    await query(primary.server.url, 'SELECT pg_reload_conf()')
    await this.#untilStreaming()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of [this.#standby, this.#primary]) await node?.server.kill()
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 })
  }

  #required(): Node {
    if (this.#primary === undefined) throw new Error('the primary has not been started')
    return this.#primary
  }

  #nextFolder(): string {
    this.#nodes += 1
    const folder = join(this.#folder, `n${this.#nodes}`)
    mkdirSync(folder, { mode: 0o711 })
    return folder
  }

  async #startNode(folder: string, settings: Readonly<Record<string, string>> = {}): Promise<Node> {
    const server = await startPostgres({
      folder,
      isDurable: true,
      settings: { ...SETTINGS, ...settings },
      programs: join(this.#folder, 'postgres'),
    })
    return { folder, server }
  }

  async #untilStreaming(): Promise<void> {
    const { server } = this.#required()
    for (;;) {
      const rows = await query(
        server.url,
        "SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'",
      )
      if (rows === 1) return
      await sleep(50)
    }
  }
}

interface Node {
  readonly folder: string
  readonly server: PostgresServer
}

async function copyWhileRunning({ folder, server }: Node, target: string): Promise<void> {
  const client = new pg.Client(server.url)
  await client.connect()
  await client.query("SELECT pg_backup_start('standby', true)")
  const stopBackup = async (): Promise<string> => {
    const { rows } = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(false)',
    )
    return rows[0]?.labelfile ?? ''
  }
  await createStandby({ from: folder, folder: target, stopBackup })
  await client.end()
}

async function query(url: string, sql: string): Promise<number> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  const { rowCount } = await client.query(sql)
  await client.end()
  return rowCount ?? 0
}
