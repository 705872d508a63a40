/**
 * An event id is `tag.stream.sequence`. The tag is random and belongs to one session; stream and sequence numbers increase
 * and are never reused. So an id identifies one event forever, and a purged event can be told from one that never existed
 * without storing anything about it.
 */
export interface EventPosition {
  readonly tag: string
  readonly stream: number
  readonly sequence: number
}

/** The stream that every session has from the start. */
export const STANDALONE_STREAM = 0

export function toStreamId(tag: string, stream: number): string {
  return `${tag}.${stream}`
}

export function toEventId(streamId: string, sequence: number): string {
  return `${streamId}.${sequence}`
}

/** The id before a stream's first event; sent in the priming event. */
export function startOfStream(streamId: string): string {
  return toEventId(streamId, 0)
}

export function parseEventId(eventId: string): EventPosition | undefined {
  const [tag, stream, sequence, ...rest] = eventId.split('.', 4)
  if (!tag || rest.length > 0) return undefined
  const streamNumber = parseCount(stream)
  const sequenceNumber = parseCount(sequence)
  if (streamNumber === undefined || sequenceNumber === undefined) return undefined
  return { tag, stream: streamNumber, sequence: sequenceNumber }
}

export function parseStreamId(streamId: string): EventPosition | undefined {
  return parseEventId(toEventId(streamId, 0))
}

/** Canonical decimal only: `01`, `+1` and `1e3` would give one event several ids. */
function parseCount(text: string | undefined): number | undefined {
  if (text === undefined || !/^(0|[1-9][0-9]{0,14})$/.test(text)) return undefined
  return Number(text)
}
