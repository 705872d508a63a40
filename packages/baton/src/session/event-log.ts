/** One message of a stream, with the id that a client sends back as `Last-Event-ID`. */
export interface StreamEvent {
  readonly id: string
  readonly data: string
}

/** The events after an event id, or why they cannot be replayed without a gap. */
export type Replay =
  | {
      readonly outcome: 'events'
      readonly streamId: string
      readonly events: readonly StreamEvent[]
      /** Whether the stream has ended with these events. */
      readonly closed: boolean
    }
  /** The id is valid, but events after it have been dropped. */
  | { readonly outcome: 'purged' }
  /** The session never had such an event. */
  | { readonly outcome: 'unknown' }

/**
 * Append-only streams of messages. A connection is a cursor over a stream: it reads the events after the last id it sent,
 * waits for a wake-up and reads again, so that replay and live delivery are the same code, without gaps or duplicates.
 * Writes take effect in call order, whether or not the caller awaits them.
 */
export interface EventLog {
  /**
   * Opens another stream in a session; `undefined` if the session has ended. If the process that writes the stream dies,
   * readers in other processes get the fallback answer, so that no client waits for a response that will never come.
   */
  openStream(sessionId: string, fallbackAnswer?: string): Promise<string | undefined>
  /** Adds a message and returns its event id once it is durable; `undefined` if the stream does not exist or is closed. */
  append(sessionId: string, streamId: string, data: string): Promise<string | undefined>
  /**
   * Adds a droppable message, unless unread messages fill half of the stream's capacity; the other half is reserved for
   * messages that must be delivered. `undefined` also if the message was dropped. Optional: without it droppable messages
   * are appended like others.
   */
  offer?(sessionId: string, streamId: string, data: string): Promise<string | undefined>
  /**
   * Adds a notification of a change that every process serving the session notices; `undefined` also if another process
   * is the one that notifies the session. Optional: without it such messages are appended like others.
   */
  announce?(sessionId: string, streamId: string, data: string): Promise<string | undefined>
  /** Marks the end of a stream; its events can still be replayed for a while. */
  closeStream(sessionId: string, streamId: string): Promise<void>
  /** Reads the events after an event id, from its stream, within one session. */
  readAfter(sessionId: string, eventId: string): Promise<Replay>
  /** The id of the last delivered event: where a reader without a cursor starts. */
  undeliveredFrom(sessionId: string, streamId: string): Promise<string | undefined>
  /** Records that a connection has sent all events up to this one; may be lost by a crash. */
  markDelivered(sessionId: string, eventId: string): void
  /** Calls `wake` when a stream may have grown, closed or been deleted; returns the function that stops it. */
  watch(streamId: string, wake: () => void): () => void
}
