import { toSseText } from '../session/sse-event.ts'

/** Older clients would parse the empty event as a message. */
const FIRST_VERSION_WITH_PRIMING = '2025-11-25'

/** How long a client should wait before it reconnects. */
const RETRY_MS = 1_000

/** Whether clients of this revision get a priming event, and so can be disconnected and resume. */
export function isPrimed(protocolVersion: string): boolean {
  return protocolVersion >= FIRST_VERSION_WITH_PRIMING
}

/** The priming event: empty, with the id that a client needs to resume before it has received a message. */
export function toPrimingText(eventId: string): string {
  return toSseText({ id: eventId, retry: RETRY_MS, data: '' })
}
