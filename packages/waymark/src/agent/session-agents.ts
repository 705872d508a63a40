/** The oldest entries are dropped beyond this; the store knows them still. */
const MOST = 10_000

/** The agent that a session acts as. */
export interface SessionAgent {
  readonly id: string
  readonly name: string
}

/** The agents of the sessions that this process serves. */
export class SessionAgents {
  readonly #agentBySession = new Map<string, SessionAgent>()

  get size(): number {
    return this.#agentBySession.size
  }

  get(session: string): SessionAgent | undefined {
    return this.#agentBySession.get(session)
  }

  set(session: string, agent: SessionAgent): void {
    const [oldest] = this.#agentBySession.keys()
    if (oldest !== undefined && this.#agentBySession.size >= MOST) this.delete(oldest)
    this.#agentBySession.set(session, agent)
  }

  delete(session: string): void {
    this.#agentBySession.delete(session)
  }
}
