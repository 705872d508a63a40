import { toSseText } from './sse-event.ts'

/** Older clients try to parse the empty event as a message. */
const FIRST_VERSION_WITH_PRIMING = '2025-11-25'

/** How long a client should wait before it comes back for the rest of a stream. */
const RETRY_MS = 1_000

/** Whether clients of this revision can be sent away and come back. */
export function isPrimed(protocolVersion: string): boolean {
  return protocolVersion >= FIRST_VERSION_WITH_PRIMING
}

/** The event that gives a client something to come back with, before it has received anything. */
export function toPrimingText(eventId: string): string {
  return toSseText({ id: eventId, retry: RETRY_MS, data: '' })
}
