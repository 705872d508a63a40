import type { OutgoingFrame } from '../../server/outlet.ts'
import type { EventLog } from '../../session/event-log.ts'

/** Which stream of which session. */
export interface StreamKey {
  readonly sessionId: string
  readonly streamId: string
}

/** Adds a frame to a stream; one that its reader can do without may be left out, if the log knows how to. */
export function keepFrame(
  events: Pick<EventLog, 'append' | 'offer'>,
  { sessionId, streamId }: StreamKey,
  { text, droppable }: OutgoingFrame,
): Promise<string | undefined> {
  if (droppable === true && events.offer !== undefined)
    return events.offer(sessionId, streamId, text)
  return events.append(sessionId, streamId, text)
}
