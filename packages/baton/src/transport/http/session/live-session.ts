import { settledWithin } from '../../../internal/settled-within.ts'
import { InFlight } from '../../../internal/in-flight.ts'
import { ERROR_CODES, ProtocolError } from '../../../protocol/error.ts'
import type { Connection } from '../../../server/connection.ts'
import type { OutgoingFrame } from '../../../server/message-sink.ts'
import type { Server } from '../../../server/server.ts'
import type { Session, SessionState } from '../../../session/session.ts'
import type { SessionStore } from '../../../session/session-store.ts'
import { appendFrame } from './append-frame.ts'

/** A connection that reads a stream of a session; it ends with the session. */
export interface SessionReader {
  end(): void
  /** Ends after all available events have been sent. */
  finish(): void
}

/** How long clients have to read the last responses when the server closes. */
const DELIVERY_MS = 500

/** The error for requests that are pending when their session ends. */
export const SESSION_ENDED: ProtocolError = new ProtocolError(
  ERROR_CODES.invalidRequest,
  'the session has ended',
)

/** The dependencies of a live session. */
export interface LiveSessionOptions {
  readonly server: Server
  readonly store: SessionStore
  readonly onError: (error: unknown) => void
}

/** A session that this process serves: the stored session, its connection and its open streams. */
export class LiveSession {
  readonly id: string
  readonly standaloneStream: string
  readonly connection: Connection
  readonly readers: Set<SessionReader> = new Set()
  /** Streams in progress; each settles when its client has read it to the end. */
  readonly deliveries: InFlight<Promise<void>> = new InFlight()
  /** The connection that currently reads a stream. */
  readonly readersByStream: Map<string, SessionReader> = new Map()
  readonly #owner: string
  readonly #store: SessionStore
  readonly #onError: (error: unknown) => void
  #stored: SessionState
  #openStreams = 0
  #pending: Promise<unknown> | undefined

  constructor(session: Session, { server, store, onError }: LiveSessionOptions) {
    this.id = session.id
    this.standaloneStream = session.standaloneStream
    this.#owner = session.owner
    this.#store = store
    this.#onError = onError
    this.#stored = session.state
    this.connection = server.connect({
      sink: { send: (frame) => this.#log(frame) },
      // A session of the HTTP+SSE transport exists before `initialize`.
      session: isNegotiated(session.state) ? session : { id: session.id },
      transport: 'tcp',
      onStateChange: (state) => this.#save(state),
    })
  }

  /** Resolves when all messages and state changes so far are stored; `undefined` if they are. */
  get saved(): Promise<unknown> | undefined {
    return this.#pending
  }

  /** Applies a state that another process may have changed. */
  adopt(state: SessionState): void {
    if (state === this.#stored || this.#pending !== undefined || !isNegotiated(state)) return
    if (JSON.stringify(state) === JSON.stringify(this.#stored)) return
    this.#stored = state
    this.connection.setState(state)
  }

  /** Counts an open stream, which keeps the session connected; returns the function to call when it closes. */
  holdOpen(): () => void {
    this.#openStreams += 1
    this.#store.touch(this.id, 'opened')
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      this.#openStreams -= 1
      if (this.#openStreams === 0) this.#store.touch(this.id, 'disconnected')
    }
  }

  /** Whether the session still exists in the store. */
  async isStored(): Promise<boolean> {
    return (await this.#store.get(this.id, this.#owner)) !== undefined
  }

  /** Refuses new requests, gives running ones time to finish, and clients time to read the responses. */
  async finish(graceMs: number): Promise<void> {
    await this.connection.finish(graceMs)
    // Store errors are already reported and must not block closing.
    await Promise.allSettled([this.saved])
    // The stream of a request ends with its response; only the standalone stream has to be ended here.
    this.readersByStream.get(this.standaloneStream)?.finish()
    await settledWithin(Promise.allSettled(this.deliveries), DELIVERY_MS)
    this.end()
  }

  end(): void {
    this.connection.close(SESSION_ENDED)
    for (const reader of this.readers) reader.end()
  }

  /** Messages that belong to no request are stored until a connection reads them. */
  #log(frame: OutgoingFrame): void {
    const stream = { sessionId: this.id, streamId: this.standaloneStream }
    this.#track(appendFrame(this.#store.events, stream, frame))
  }

  #save(state: SessionState): void {
    if (state === this.#stored) return
    this.#stored = state
    this.#track(this.#store.update(this.id, this.#owner, () => state))
  }

  /** The store writes in order, so the last write is pending as long as any of them is. */
  #track(write: Promise<unknown>): void {
    this.#pending = write
    write
      .finally(() => {
        if (this.#pending === write) this.#pending = undefined
      })
      .catch(this.#onError)
  }
}

/** The state of a client of the HTTP+SSE transport that has not sent `initialize` yet. */
export const NOT_NEGOTIATED: SessionState = {
  protocolVersion: '',
  clientCapabilities: {},
  initialized: false,
  subscriptions: [],
}

function isNegotiated(state: SessionState): boolean {
  return state.protocolVersion !== ''
}
