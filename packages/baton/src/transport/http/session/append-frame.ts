import type { OutgoingFrame } from '../../../server/message-sink.ts'
import type { EventLog } from '../../../session/event-log.ts'

/** A stream of a session. */
export interface StreamKey {
  readonly sessionId: string
  readonly streamId: string
}

/** Appends a frame to a stream; a droppable or announced one may be left out if the log supports that. */
export function appendFrame(
  events: Pick<EventLog, 'append' | 'offer' | 'announce'>,
  { sessionId, streamId }: StreamKey,
  { text, droppable, announces }: OutgoingFrame,
): Promise<string | undefined> {
  if (announces === true && events.announce !== undefined)
    return events.announce(sessionId, streamId, text)
  if (droppable === true && events.offer !== undefined)
    return events.offer(sessionId, streamId, text)
  return events.append(sessionId, streamId, text)
}
