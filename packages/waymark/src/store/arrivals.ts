/** So many are remembered at most; who came first is forgotten first. */
const MOST = 10_000

/**
 * The newest message when an agent came, for agents that read through this process and are not written down: because
 * the server must not write, or could not at that moment.
 */
export class Arrivals {
  readonly #messageByAgent = new Map<string, number>()

  get(agentId: string): number | undefined {
    return this.#messageByAgent.get(agentId)
  }

  set(agentId: string, messageId: number): void {
    const [oldest] = this.#messageByAgent.keys()
    if (oldest !== undefined && this.#messageByAgent.size >= MOST) {
      this.#messageByAgent.delete(oldest)
    }
    this.#messageByAgent.set(agentId, messageId)
  }
}
