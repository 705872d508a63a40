import type { AgentId } from './agent.ts'

/** The oldest entries are dropped beyond this. */
const MOST = 10_000

/**
 * The newest message when an agent arrived, for agents without a row: those of a read-only server, and those whose row
 * could not be written because the store was busy.
 */
export class Arrivals {
  readonly #messageByAgent = new Map<string, number>()

  get(agentId: AgentId): number | undefined {
    return this.#messageByAgent.get(agentId)
  }

  set(agentId: AgentId, messageId: number): void {
    const [oldest] = this.#messageByAgent.keys()
    if (oldest !== undefined && this.#messageByAgent.size >= MOST) {
      this.#messageByAgent.delete(oldest)
    }
    this.#messageByAgent.set(agentId, messageId)
  }
}
