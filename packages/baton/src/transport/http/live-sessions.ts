import type { Server } from '../../server/server.ts'
import { parseEventId, parseStreamId } from '../../session/event-id.ts'
import type { EndedSession, Session, SessionState } from '../../session/session.ts'
import type { SessionStore } from '../../session/session-store.ts'
import { LiveSession } from './live-session.ts'

/** What happened to a session. */
export interface SessionEvent {
  readonly kind: 'created' | 'resumed' | 'expired' | 'evicted' | 'terminated'
  readonly sessionId: string
  readonly ageMs: number
}

/** What the sessions of a handler are made of. */
export interface LiveSessionsOptions {
  readonly server: Server
  readonly store: SessionStore
  readonly now: () => number
  readonly onEvent: (event: SessionEvent) => void
  readonly onError: (error: unknown) => void
}

/** The sessions that this process serves; those of an earlier one come back when their clients do. */
export class LiveSessions {
  readonly #options: LiveSessionsOptions
  readonly #sessionsById = new Map<string, LiveSession>()
  /** Those that were opened for their clients, which have yet to come back. */
  readonly #revivedIds = new Set<string>()

  #isFinishing = false

  constructor(options: LiveSessionsOptions) {
    this.#options = options
  }

  /** True as soon as no more requests are taken; one whose body was still coming may not know. */
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

  /** The session with this id if it is the owner's; otherwise there is no such session. */
  async find(id: string, owner: string): Promise<LiveSession | undefined> {
    const { store } = this.#options
    const session = await store.get(id, owner)
    if (session === undefined) {
      await this.#forget(id)
      return undefined
    }
    store.touch(id, 'message')
    const known = this.#sessionsById.get(id)
    if (known === undefined || this.#revivedIds.delete(id)) this.#report('resumed', session)
    if (known === undefined) return this.#open(session)
    known.adopt(session.state)
    return known
  }

  /** The owner's session that an event was sent in. */
  async findByEvent(eventId: string, owner: string): Promise<LiveSession | undefined> {
    const tag = parseEventId(eventId)?.tag
    if (tag === undefined) return undefined
    const session = (await this.#options.store.list()).find(
      (one) => one.owner === owner && parseStreamId(one.standaloneStream)?.tag === tag,
    )
    return session && (await this.find(session.id, owner))
  }

  /** Opens the sessions of earlier processes, so that they hear of what happens before their clients are back. */
  async revive(): Promise<void> {
    for (const session of await this.#options.store.list()) {
      if (this.#sessionsById.has(session.id)) continue
      this.#open(session)
      this.#revivedIds.add(session.id)
    }
  }

  async terminate(id: string, owner: string): Promise<boolean> {
    const session = await this.#options.store.get(id, owner)
    if (session === undefined || !(await this.#options.store.delete(id, owner))) return false
    this.#end(id)
    this.#report('terminated', session)
    return true
  }

  /** Ends the connections of sessions that the store has given up. */
  ended(sessions: readonly EndedSession[]): void {
    for (const { id, createdAt, reason } of sessions) {
      this.#end(id)
      this.#report(reason === 'idle' ? 'expired' : 'evicted', { id, createdAt })
    }
  }

  /** Ends the connections of sessions that another process has ended. */
  async forgetEnded(): Promise<void> {
    // Taken before the store is asked, which knows all of these unless they have ended.
    const ids = [...this.#sessionsById.keys()]
    if (ids.length === 0) return
    const stored = new Set((await this.#options.store.list()).map(({ id }) => id))
    for (const id of ids) if (!stored.has(id)) this.#end(id)
  }

  /** Takes no more requests and gives running ones time to finish. */
  async finish(graceMs: number): Promise<void> {
    this.#isFinishing = true
    const sessions = [...this.#sessionsById.values()]
    this.#sessionsById.clear()
    await Promise.all(sessions.map((session) => session.finish(graceMs)))
  }

  #open(session: Session): LiveSession {
    const live = new LiveSession(session, this.#options)
    // One that comes up again while its client's last request was looked for takes no more either.
    if (this.#isFinishing) live.finish(0).catch(this.#options.onError)
    else this.#sessionsById.set(session.id, live)
    return live
  }

  /** Another process may have ended a session that is live here; an owner's mistake ends nothing. */
  async #forget(id: string): Promise<void> {
    const live = this.#sessionsById.get(id)
    if (live !== undefined && !(await live.isStored())) this.#end(id)
  }

  #end(id: string): void {
    this.#sessionsById.get(id)?.end()
    this.#sessionsById.delete(id)
    this.#revivedIds.delete(id)
  }

  #report(kind: SessionEvent['kind'], { id, createdAt }: Pick<Session, 'id' | 'createdAt'>): void {
    this.#options.onEvent({ kind, sessionId: id, ageMs: this.#options.now() - createdAt })
  }
}
