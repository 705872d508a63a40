import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../packages/baton/test/support/random.ts'
import type { Caller, TeamProject } from './caller.ts'

/** Longer than it takes to notice that one that waits is not woken. */
const WAIT_SECONDS = 30

/** Between two pages, so that one holds many events: reading each alone would be most of the work. */
const PAUSE_MS = 500

interface Page {
  readonly events: readonly { readonly id: number }[]
  readonly missed: boolean
}

/** Follows the events by their cursor: waits at one replica, and goes on at another when that fails. */
export class Follower {
  readonly #caller: Caller
  readonly #project: TeamProject
  readonly #home: number
  readonly found = { events: 0, gaps: 0, repeats: 0 }
  cursor = 0

  constructor(caller: Caller, project: TeamProject, home: number) {
    this.#caller = caller
    this.#project = project
    this.#home = home
  }

  /** Until it has seen the last event, which is known when all others have ended. */
  async run(last: () => number | undefined): Promise<void> {
    const random = createRandom(this.#home)
    const [project, home] = [this.#project, this.#home]
    const options = { project, agent: `follower-${home}`, home, random, isRead: true }
    while (this.cursor < (last() ?? Infinity)) {
      const input = { since: this.cursor, seconds: WAIT_SECONDS, limit: 500 }
      const answer = await this.#caller.call('event.wait', input, options)
      if (answer === undefined) return
      this.#see(answer.body as Page)
      await sleep(PAUSE_MS)
    }
  }

  #see({ events, missed }: Page): void {
    if (missed) this.found.gaps += 1
    for (const { id } of events) {
      if (id <= this.cursor) this.found.repeats += 1
      if (id > this.cursor + 1) this.found.gaps += 1
      this.cursor = Math.max(this.cursor, id)
      this.found.events += 1
    }
  }
}
