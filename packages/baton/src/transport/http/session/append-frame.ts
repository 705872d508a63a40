import type { OutgoingFrame } from '../../../server/message-sink.ts'
import type { EventLog } from '../../../session/event-log.ts'

/** A stream of a session. */
export interface StreamKey {
  readonly sessionId: string
  readonly streamId: string
}

/** Appends a frame to a stream; a droppable one may be dropped if the log supports that. */
export function appendFrame(
  events: Pick<EventLog, 'append' | 'offer'>,
  { sessionId, streamId }: StreamKey,
  { text, droppable }: OutgoingFrame,
): Promise<string | undefined> {
  if (droppable === true && events.offer !== undefined)
    return events.offer(sessionId, streamId, text)
  return events.append(sessionId, streamId, text)
}
