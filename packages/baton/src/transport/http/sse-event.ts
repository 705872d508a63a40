import { BASE_HEADERS } from './base-headers.ts'

/** The fields of one server-sent event; all but `data` are chosen by us and hold no line breaks. */
export interface SseEvent {
  readonly data: string
  readonly id?: string
  readonly event?: string
  /** Milliseconds after which a client that lost the stream should come back. */
  readonly retry?: number
}

const LINE_BREAK = /\r\n|\r|\n/

/** A comment, which clients skip: keeps proxies from closing a quiet stream. */
export const KEEP_ALIVE_COMMENT = ': keep-alive\n\n'

/** Headers of every event stream; the last one keeps a proxy from collecting events before it passes them on. */
export const SSE_HEADERS: Readonly<Record<string, string>> = {
  ...BASE_HEADERS,
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** Spells an event. */
export function toSseText({ data, id, event, retry }: SseEvent): string {
  let text = ''
  if (event !== undefined) text += `event: ${event}\n`
  if (id !== undefined) text += `id: ${id}\n`
  if (retry !== undefined) text += `retry: ${retry}\n`
  // A line break inside the data would end the field, and let its author write fields of their own.
  for (const line of data.split(LINE_BREAK)) text += `data: ${line}\n`
  return `${text}\n`
}
