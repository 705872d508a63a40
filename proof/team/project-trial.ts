import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../packages/baton/test/support/random.ts'
import type { Caller, TeamProject } from './caller.ts'
import { Follower } from './follower.ts'
import { judge, type Kept } from './judge.ts'
import type { Site } from './site.ts'
import { Ledger } from './worker.ts'

/** A commit that is not heard of is seen by the next poll, a second later; so much is allowed on a busy machine. */
const LATE_MS = 5_000
/** So many reads one after the other take far less on an idle machine; on one that is overloaded they take longer. */
const LATE_READS = 25

/** What is tried with one project: what its clients were told, and who follows its events at each replica. */
export class ProjectTrial {
  readonly project: TeamProject
  readonly ledger = new Ledger()
  readonly followers: readonly Follower[]
  readonly #caller: Caller
  readonly #site: Site
  readonly #following: Promise<unknown>
  #last: number | undefined

  constructor(project: TeamProject, caller: Caller, site: Site) {
    this.project = project
    this.#caller = caller
    this.#site = site
    this.followers = site.replicas.map((_, at) => new Follower(caller, project, at))
    this.#following = Promise.all(this.followers.map((follower) => follower.run(() => this.#last)))
  }

  /** With nothing else going on, a client that waits at one replica hears of a write at another. */
  async countSleptThrough(): Promise<number> {
    let slept = 0
    for (let round = 0; round < 2; round += 1) {
      await sleep(1_000)
      await this.#createOne()
      const { lastEvent } = await this.#judge()
      const deadline = performance.now() + LATE_MS
      const isBehind = ({ cursor }: Follower): boolean => cursor < lastEvent
      for (let reads = 0; this.followers.some(isBehind); reads += 1) {
        if (performance.now() >= deadline && reads >= LATE_READS) break
        await sleep(50)
        await this.#readEverywhere()
      }
      slept += this.followers.filter(isBehind).length
    }
    return slept
  }

  /** Judges what is in the database, and waits until the followers have seen all of it. */
  async finish(): Promise<Kept> {
    const kept = await this.#judge()
    this.#last = kept.lastEvent
    // Those that wait for more are told of one more.
    await this.#createOne()
    this.#last = (await this.#judge()).lastEvent
    await this.#following
    return kept
  }

  /** Not by operations: after one a replica may record when the agent was seen, which wakes all that wait there. */
  async #readEverywhere(): Promise<void> {
    await Promise.all(
      this.#site.replicas.map(async ({ port }) => {
        const response = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined)
        await response?.arrayBuffer()
      }),
    )
  }

  #judge(): Promise<Kept> {
    return judge(this.#site.url, this.project.id, this.ledger)
  }

  async #createOne(): Promise<void> {
    const options = { project: this.project, agent: 'late', home: 0, random: createRandom(0) }
    const answer = await this.#caller.call('task.create', { title: 'One more' }, options)
    const { task } = (answer?.body ?? {}) as { task?: { readonly id: string } }
    if (task !== undefined) this.ledger.created.add(task.id)
  }
}
