import { MemoryEventLog } from './event-log.ts'
import { MemoryRecordStore } from './record-store.ts'
import { MemorySession } from './session.ts'
import type {
  EndedSession,
  NewSession,
  Session,
  SessionActivity,
  SessionState,
} from '../session.ts'
import { isConnected, isEvictable, isExpired } from '../session-lifetime.ts'
import {
  DEFAULT_SESSION_LIMITS,
  type SessionLimits,
  type SessionStoreOptions,
} from '../session-limits.ts'
import { SessionCapacityError, type SessionStats, type SessionStore } from '../session-store.ts'

/** The default session store: in memory, for the lifetime of the process. */
export class MemorySessionStore implements SessionStore {
  readonly events: MemoryEventLog
  readonly records: MemoryRecordStore
  readonly #limits: SessionLimits
  readonly #now: () => number
  /** Ordered by last activity, oldest first. */
  readonly #sessionsById = new Map<string, MemorySession>()
  #ended: EndedSession[] = []

  constructor({ limits, now = Date.now }: SessionStoreOptions = {}) {
    this.#limits = { ...DEFAULT_SESSION_LIMITS, ...limits }
    this.#now = now
    this.events = new MemoryEventLog({
      sessionsById: this.#sessionsById,
      limits: this.#limits,
      now,
    })
    this.records = new MemoryRecordStore(now)
  }

  async create(newSession: NewSession): Promise<Session> {
    if (this.#sessionsById.size >= this.#limits.maxSessions) this.#makeRoom()
    const session = new MemorySession(newSession, this.#now())
    this.#sessionsById.set(session.id, session)
    return session.toSnapshot()
  }

  get(id: string, owner: string): Promise<Session | undefined> {
    return Promise.resolve(this.#find(id, owner)?.toSnapshot())
  }

  async update(
    id: string,
    owner: string,
    change: (state: SessionState) => SessionState,
  ): Promise<Session | undefined> {
    const session = this.#find(id, owner)
    if (session !== undefined) session.state = change(session.state)
    return session?.toSnapshot()
  }

  touch(id: string, activity: SessionActivity): void {
    const session = this.#sessionsById.get(id)
    if (session === undefined) return
    const now = this.#now()
    switch (activity) {
      case 'message':
        session.seenAt = now
        this.#sessionsById.delete(id)
        this.#sessionsById.set(id, session)
        return
      case 'opened':
      case 'connected':
        session.connectedUntil = now + this.#limits.connectionLeaseMs
        return
      case 'disconnected':
        session.connectedUntil = now
    }
  }

  delete(id: string, owner: string): Promise<boolean> {
    const session = this.#find(id, owner)
    if (session !== undefined) this.#end(session)
    return Promise.resolve(session !== undefined)
  }

  expire(): Promise<readonly EndedSession[]> {
    const now = this.#now()
    for (const session of this.#sessionsById.values()) {
      if (isExpired(session, now, this.#limits)) this.#end(session, 'idle')
      else session.dropStreamsClosedBefore(now - this.#limits.disconnectedIdleMs)
    }
    this.records.expire()
    const ended = this.#ended
    this.#ended = []
    return Promise.resolve(ended)
  }

  list(): Promise<readonly Session[]> {
    return Promise.resolve(this.#live().map((session) => session.toSnapshot()))
  }

  stats(): Promise<SessionStats> {
    const now = this.#now()
    const live = this.#live()
    const connected = live.filter((session) => isConnected(session, now)).length
    return Promise.resolve({ total: live.length, connected })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#sessionsById.values()) this.#end(session)
    await Promise.resolve()
  }

  #find(id: string, owner: string): MemorySession | undefined {
    const session = this.#sessionsById.get(id)
    if (session === undefined || session.owner !== owner) return undefined
    return isExpired(session, this.#now(), this.#limits) ? undefined : session
  }

  #live(): MemorySession[] {
    const now = this.#now()
    return [...this.#sessionsById.values()].filter(
      (session) => !isExpired(session, now, this.#limits),
    )
  }

  #makeRoom(): void {
    const now = this.#now()
    for (const session of this.#sessionsById.values()) {
      if (isEvictable(session, now, this.#limits)) return this.#end(session, 'evicted')
    }
    throw new SessionCapacityError(this.#limits.evictableAfterMs)
  }

  #end(session: MemorySession, reason?: EndedSession['reason']): void {
    this.#sessionsById.delete(session.id)
    const { id, createdAt } = session
    if (reason !== undefined) this.#ended.push({ id, createdAt, reason })
    this.events.sessionEnded(session)
  }
}
