/** One message of a stream, under the id that a client sends back as `Last-Event-ID`. */
export interface StreamEvent {
  readonly id: string
  readonly data: string
}

/** What follows an event id: the rest of its stream, or why there is no gap-free rest. */
export type Replay =
  | {
      readonly outcome: 'events'
      readonly streamId: string
      readonly events: readonly StreamEvent[]
      /** True when nothing will ever follow these events. */
      readonly closed: boolean
    }
  /** The id was ours, but events behind it have been dropped. */
  | { readonly outcome: 'purged' }
  /** The session never had such an event. */
  | { readonly outcome: 'unknown' }

/**
 * Append-only streams of messages. A connection is a cursor over a stream: it reads after the last id it wrote, waits to
 * be woken and reads again, so a replay and live delivery are the same code and can neither skip nor repeat.
 * Writes take effect in the order in which they are called, whether or not the caller waits for them.
 */
export interface EventLog {
  /**
   * Opens a further stream in a session; `undefined` when the session is gone. The last will is what the stream ends
   * with if the process that writes it dies first, so that nobody waits for an answer that will never come.
   */
  openStream(sessionId: string, lastWill?: string): Promise<string | undefined>
  /** Adds a message and returns its event id once it is durable; `undefined` when the stream is gone or closed. */
  append(sessionId: string, streamId: string, data: string): Promise<string | undefined>
  /**
   * Adds a message that its reader can do without, unless what nobody has read yet is half of what the stream may hold:
   * the other half is for what has to arrive. `undefined` also when it was left out. Where this is absent, such messages
   * are appended like all others.
   */
  offer?(sessionId: string, streamId: string, data: string): Promise<string | undefined>
  /** Marks the end of a stream; what it holds can still be replayed for a while. */
  closeStream(sessionId: string, streamId: string): Promise<void>
  /** Reads the rest of the stream that an event id belongs to, within one session only. */
  readAfter(sessionId: string, eventId: string): Promise<Replay>
  /** The event id behind which nothing has been handed to a connection: where a reader without a cursor starts. */
  undeliveredFrom(sessionId: string, streamId: string): Promise<string | undefined>
  /** Notes that a connection took everything up to this event; a crash may forget it. */
  markDelivered(sessionId: string, eventId: string): void
  /** Calls `wake` when a stream may have grown, closed or gone; returns the way to stop. */
  watch(streamId: string, wake: () => void): () => void
}
