import { settledWithin } from '../../internal/settled-within.ts'
import { TransitSet } from '../../internal/transit-set.ts'
import { ERROR_CODES, ProtocolError } from '../../protocol/error.ts'
import type { Connection } from '../../server/connection.ts'
import type { OutgoingFrame } from '../../server/outlet.ts'
import type { Server } from '../../server/server.ts'
import type { Session, SessionState } from '../../session/session.ts'
import type { SessionStore } from '../../session/session-store.ts'
import { keepFrame } from './keep-frame.ts'

/** A connection that reads a stream of a session, and must end when the session does. */
export interface SessionPart {
  end(): void
  /** Ends it when all that is there has been read. */
  finish(): void
}

/** How long clients get at the end to read answers that are written. */
const DELIVERY_MS = 500

/** What everybody is told who still waits for an answer. */
export const SESSION_ENDED: ProtocolError = new ProtocolError(
  ERROR_CODES.invalidRequest,
  'the session has ended',
)

/** What a live session is made with. */
export interface LiveSessionParts {
  readonly server: Server
  readonly store: SessionStore
  readonly onError: (error: unknown) => void
}

/** A session that this process serves: the stored session, its connection, and what is open in its name. */
export class LiveSession {
  readonly id: string
  readonly standaloneStream: string
  readonly connection: Connection
  readonly parts: Set<SessionPart> = new Set()
  /** Each lasts until a client has read its stream to the end. */
  readonly deliveries: TransitSet<Promise<void>> = new TransitSet()
  /** Which connection reads which stream now. */
  readonly readersByStream: Map<string, SessionPart> = new Map()
  readonly #owner: string
  readonly #store: SessionStore
  readonly #onError: (error: unknown) => void
  #stored: SessionState
  #openStreams = 0
  #pending: Promise<unknown> | undefined

  constructor(session: Session, { server, store, onError }: LiveSessionParts) {
    this.id = session.id
    this.standaloneStream = session.standaloneStream
    this.#owner = session.owner
    this.#store = store
    this.#onError = onError
    this.#stored = session.state
    this.connection = server.connect({
      outlet: { send: (frame) => this.#log(frame) },
      // A session of the oldest transport exists before anything has been agreed on.
      session: isAgreed(session.state) ? session : { id: session.id },
      transport: 'tcp',
      onStateChange: (state) => this.#save(state),
    })
  }

  /** Resolves when all that was said and agreed so far is stored; `undefined` when it already is. */
  get saved(): Promise<unknown> | undefined {
    return this.#pending
  }

  /** Takes over what another process may have changed. */
  adopt(state: SessionState): void {
    if (state === this.#stored || this.#pending !== undefined || !isAgreed(state)) return
    if (JSON.stringify(state) === JSON.stringify(this.#stored)) return
    this.#stored = state
    this.connection.setState(state)
  }

  /** Counts an open stream, which keeps the session from ending early; call the result when it closes. */
  holdOpen(): () => void {
    this.#openStreams += 1
    this.#store.touch(this.id, 'connected')
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      this.#openStreams -= 1
      if (this.#openStreams === 0) this.#store.touch(this.id, 'disconnected')
    }
  }

  /** Whether the store still knows the session. */
  async isStored(): Promise<boolean> {
    return (await this.#store.get(this.id, this.#owner)) !== undefined
  }

  /** Takes no more requests, gives running ones time to finish and clients time to read what there is. */
  async finish(graceMs: number): Promise<void> {
    await this.connection.finish(graceMs)
    // What cannot be stored has been complained of, and keeps nobody from closing.
    await Promise.allSettled([this.saved])
    // The stream of a request ends with its answer, which may not have reached the log yet; only this one has no end.
    this.readersByStream.get(this.standaloneStream)?.finish()
    await settledWithin(Promise.allSettled(this.deliveries), DELIVERY_MS)
    this.end()
  }

  end(): void {
    this.connection.close(SESSION_ENDED)
    for (const part of this.parts) part.end()
  }

  /** Messages that answer no request are kept until a connection takes them. */
  #log(frame: OutgoingFrame): void {
    const stream = { sessionId: this.id, streamId: this.standaloneStream }
    this.#track(keepFrame(this.#store.events, stream, frame))
  }

  #save(state: SessionState): void {
    if (state === this.#stored) return
    this.#stored = state
    this.#track(this.#store.update(this.id, this.#owner, () => state))
  }

  /** The store takes writes in order, so waiting for the last one is waiting for all. */
  #track(write: Promise<unknown>): void {
    this.#pending = write
    write
      .finally(() => {
        if (this.#pending === write) this.#pending = undefined
      })
      .catch(this.#onError)
  }
}

/** What is stored for a client that has connected but not said anything yet. */
export const NOTHING_AGREED: SessionState = {
  protocolVersion: '',
  clientCapabilities: {},
  initialized: false,
  subscriptions: [],
}

function isAgreed(state: SessionState): boolean {
  return state.protocolVersion !== ''
}
