import type { Server } from '../../../server/server.ts'
import { parseEventId, parseStreamId } from '../../../session/event-id.ts'
import type { EndedSession, Session, SessionState } from '../../../session/session.ts'
import type { SessionStore } from '../../../session/session-store.ts'
import { LiveSession } from './live-session.ts'

/** A change in the lifecycle of a session. */
export interface SessionEvent {
  readonly kind: 'created' | 'resumed' | 'expired' | 'evicted' | 'terminated'
  readonly sessionId: string
  readonly ageMs: number
}

/** Options of the live sessions. */
export interface LiveSessionsOptions {
  readonly server: Server
  readonly store: SessionStore
  readonly now: () => number
  readonly onEvent: (event: SessionEvent) => void
  readonly onError: (error: unknown) => void
}

/** The sessions that this process serves; stored sessions of earlier processes are restored on demand. */
export class LiveSessions {
  readonly #options: LiveSessionsOptions
  readonly #sessionsById = new Map<string, LiveSession>()
  /** Restored sessions whose clients have not sent a message yet. */
  readonly #restoredIds = new Set<string>()

  #isFinishing = false

  constructor(options: LiveSessionsOptions) {
    this.#options = options
  }

  /** Whether the server is closing; to be checked again after a body was read. */
  get isFinishing(): boolean {
    return this.#isFinishing
  }

  get size(): number {
    return this.#sessionsById.size
  }

  async create(owner: string, state: SessionState): Promise<LiveSession> {
    const session = await this.#options.store.create({ owner, state })
    this.#report('created', session)
    return this.#open(session)
  }

  /** The owner's session with this id. */
  async find(id: string, owner: string): Promise<LiveSession | undefined> {
    const { store } = this.#options
    const session = await store.get(id, owner)
    if (session === undefined) {
      await this.#forget(id)
      return undefined
    }
    store.touch(id, 'message')
    const known = this.#sessionsById.get(id)
    if (known === undefined || this.#restoredIds.delete(id)) this.#report('resumed', session)
    if (known === undefined) return this.#open(session)
    known.adopt(session.state)
    return known
  }

  /** The owner's session to which an event id belongs. */
  async findByEvent(eventId: string, owner: string): Promise<LiveSession | undefined> {
    const tag = parseEventId(eventId)?.tag
    if (tag === undefined) return undefined
    const session = (await this.#options.store.list()).find(
      (one) => one.owner === owner && parseStreamId(one.standaloneStream)?.tag === tag,
    )
    return session && (await this.find(session.id, owner))
  }

  /** Restores all stored sessions, so that they get notifications before their clients reconnect. */
  async restore(): Promise<void> {
    for (const session of await this.#options.store.list()) {
      if (this.#sessionsById.has(session.id)) continue
      this.#open(session)
      this.#restoredIds.add(session.id)
    }
  }

  async terminate(id: string, owner: string): Promise<boolean> {
    const session = await this.#options.store.get(id, owner)
    if (session === undefined || !(await this.#options.store.delete(id, owner))) return false
    this.#end(id)
    this.#report('terminated', session)
    return true
  }

  /** Ends the connections of sessions that the store has ended. */
  ended(sessions: readonly EndedSession[]): void {
    for (const { id, createdAt, reason } of sessions) {
      this.#end(id)
      this.#report(reason === 'idle' ? 'expired' : 'evicted', { id, createdAt })
    }
  }

  /** Ends the connections of sessions that another process has ended. */
  async forgetEnded(): Promise<void> {
    // Read before the store is queried: a session that is created meanwhile must not count as ended.
    const ids = [...this.#sessionsById.keys()]
    if (ids.length === 0) return
    const stored = new Set((await this.#options.store.list()).map(({ id }) => id))
    for (const id of ids) if (!stored.has(id)) this.#end(id)
  }

  /** Refuses new requests and gives running ones time to finish. */
  async finish(graceMs: number): Promise<void> {
    this.#isFinishing = true
    const sessions = [...this.#sessionsById.values()]
    this.#sessionsById.clear()
    await Promise.all(sessions.map((session) => session.finish(graceMs)))
  }

  #open(session: Session): LiveSession {
    const live = new LiveSession(session, this.#options)
    // A session that is restored while the server closes refuses requests as well.
    if (this.#isFinishing) live.finish(0).catch(this.#options.onError)
    else this.#sessionsById.set(session.id, live)
    return live
  }

  /** Ends a live session if another process deleted it from the store; a request of another owner must not end it. */
  async #forget(id: string): Promise<void> {
    const live = this.#sessionsById.get(id)
    if (live !== undefined && !(await live.isStored())) this.#end(id)
  }

  #end(id: string): void {
    this.#sessionsById.get(id)?.end()
    this.#sessionsById.delete(id)
    this.#restoredIds.delete(id)
  }

  #report(kind: SessionEvent['kind'], { id, createdAt }: Pick<Session, 'id' | 'createdAt'>): void {
    this.#options.onEvent({ kind, sessionId: id, ageMs: this.#options.now() - createdAt })
  }
}
