import type { Brand } from '../support/brand.ts'

/** Position in the stream of events: that of one event, or 0 for before the first. */
export type EventId = Brand<number, 'EventId'>

/** A position as a cursor of a caller or arithmetic gives it. */
export function toEventId(position: number): EventId {
  return position as EventId
}

/** Before the first event. */
export const BEFORE_ALL = toEventId(0)
