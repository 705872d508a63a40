import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from '../../packages/waymark/src/core/postgres/pool.ts'
import {
  migrateAll,
  migrateProject,
  schemaOf,
} from '../../packages/waymark/src/core/postgres/schema/schema.ts'
import { createToken } from '../../packages/waymark/src/team/tokens.ts'
import { createRandom, type Random } from '../../packages/baton/test/support/random.ts'
import { createFolder, type Folder, IN_MEMORY } from '../system/folder.ts'
import type { TeamProject } from './caller.ts'
import { Cluster } from './cluster.ts'
import { PoolingProxy } from './pooling-proxy.ts'
import { Replica } from './replica.ts'

const SKEW_MS = 10 * 60_000

export interface SiteOptions {
  /** The script of the command. */
  readonly command: string
  readonly replicas: number
  readonly projects: number
  readonly hasStandby: boolean
  readonly seed: number
  /** Of so many commits one is lost on its way, and the answer to one. */
  readonly commitsPerLoss: number
}

/** A database, two ways to it and replicas; what breaks in data centres happens to it on request. */
export class Site implements AsyncDisposable {
  readonly #cluster: Cluster
  readonly #folder: Folder
  readonly #random: Random
  readonly #proxies: PoolingProxy[] = []
  readonly #hasStandby: boolean
  readonly replicas: Replica[] = []
  readonly projects: TeamProject[] = []
  readonly counts = {
    kills: 0,
    cuts: 0,
    restarts: 0,
    failovers: 0,
    lost_commits: 0,
    lost_answers: 0,
  }
  #losing: number

  private constructor(cluster: Cluster, { seed, hasStandby, commitsPerLoss }: SiteOptions) {
    this.#cluster = cluster
    this.#folder = createFolder(IN_MEMORY)
    this.#random = createRandom(seed)
    this.#hasStandby = hasStandby
    this.#losing = commitsPerLoss
  }

  static async start(options: SiteOptions): Promise<Site> {
    const site = new Site(await Cluster.start(options), options)
    try {
      await site.#prepare(options)
      await site.#startReplicas(options)
      return site
    } catch (error) {
      await site[Symbol.asyncDispose]()
      throw error
    }
  }

  get url(): string {
    return this.#cluster.url
  }

  /** Transactions that went through the pooling proxy. */
  get pooled(): number {
    return this.#proxies.reduce((sum, { lendings }) => sum + lendings, 0)
  }

  /** Breaks one thing after the other while work is done, whose share is told by `done`; then mends what is broken. */
  async disturb(kinds: readonly Disturbance[], done: () => number): Promise<void> {
    for (const [at, kind] of kinds.entries()) {
      // Spread over the whole work.
      while (done() < at / kinds.length) await sleep(100)
      for (let waited = 0; waited < 5 && done() < 1; waited += 1) await sleep(100)
      await this[kind]()
    }
    while (done() < 1) await sleep(100)
    this.#losing = Infinity
  }

  async kill(): Promise<void> {
    const replica = this.#random.pick(this.replicas)
    await replica.kill()
    this.counts.kills += 1
    await sleep(100)
    await startPatiently(replica)
  }

  async cut(): Promise<void> {
    for (const proxy of this.#proxies) this.counts.cuts += proxy.cut(this.#random)
  }

  async restart(): Promise<void> {
    await this.#cluster.restart()
    this.counts.restarts += 1
  }

  async failOver(): Promise<void> {
    if (!this.#hasStandby) return
    await this.#cluster.failOver(() => void this.cut())
    this.counts.failovers += 1
    await this.#cluster.addStandby()
  }

  /** Replicas that ended though nothing killed them. */
  crashed(): string[] {
    return this.replicas.map((replica) => replica.lastWords()).filter((one) => one !== undefined)
  }

  /** Why requests ended in errors. */
  get logged(): string[] {
    return this.replicas.map(({ firstError }) => firstError).filter((one) => one !== undefined)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of [...this.replicas, ...this.#proxies, this.#cluster])
      await one[Symbol.asyncDispose]()
    this.#folder[Symbol.dispose]()
  }

  async #prepare({ projects }: SiteOptions): Promise<void> {
    await using pool = new Pool({ url: this.#cluster.url })
    await migrateAll(pool, 0)
    for (let at = 0; at < projects; at += 1) this.projects.push(await createProject(pool, at))
  }

  async #startReplicas({ command, replicas, commitsPerLoss }: SiteOptions): Promise<void> {
    const target = (): string => this.#cluster.socket
    const loses = (what: 'commit' | 'answer'): boolean => {
      const isLost = Number.isFinite(this.#losing) && this.#random.below(commitsPerLoss) === 0
      if (isLost) this.counts[what === 'commit' ? 'lost_commits' : 'lost_answers'] += 1
      return isLost
    }
    const direct = await PoolingProxy.listen({ target, mode: 'session' })
    const pooled = await PoolingProxy.listen({ target, mode: 'transaction', loses })
    this.#proxies.push(direct, pooled)
    for (let at = 0; at < replicas; at += 1) {
      const replica = new Replica({
        command,
        directory: this.#folder.path,
        // Half of them hear of commits by notifications; the others must do without.
        databaseUrl: at % 2 === 0 ? direct.url : pooled.url,
        // From the slowest clock to the fastest in even steps.
        skewMs: SKEW_MS * ((2 * at) / Math.max(1, replicas - 1) - 1),
      })
      this.replicas.push(replica)
    }
    await Promise.all(this.replicas.map((replica) => replica.start()))
  }
}

async function createProject(pool: Pool, at: number): Promise<TeamProject> {
  const [projectId, name] = [crypto.randomUUID(), `project-${at}`]
  await migrateProject(pool, { projectId, createdAt: 0, name })
  const { token } = await createToken(pool, {
    projectId,
    kind: 'token',
    name: 'ci',
    role: 'agent',
    actor: 'proof',
  })
  // For the planted mistake alone; the product has no sequence.
  const schema = schemaOf(projectId)
  await pool.use(async (client) => {
    await client.query(`CREATE SEQUENCE "${schema}".event_sequence`)
    await client.query(`GRANT USAGE ON SEQUENCE "${schema}".event_sequence TO "${schema}"`)
  })
  return { id: projectId, name, token }
}

export type Disturbance = 'kill' | 'cut' | 'restart' | 'failOver'

/** The database may be away just now; the supervisor of the replicas starts them again until they stay. */
async function startPatiently(replica: Replica): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await replica.start()
      return
    } catch (error) {
      if (tries === 20) throw error
      await replica.kill()
      await sleep(300)
    }
  }
}
