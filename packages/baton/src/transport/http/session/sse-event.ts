import { BASE_HEADERS } from '../base-headers.ts'

/** The fields of one server-sent event; all but `data` are set by this server and have no line breaks. */
export interface SseEvent {
  readonly data: string
  readonly id?: string
  readonly event?: string
  /** Milliseconds after which a disconnected client should reconnect. */
  readonly retry?: number
}

const LINE_BREAK = /\r\n|\r|\n/

/** A comment, which clients ignore: keeps proxies from closing an idle stream. */
export const KEEP_ALIVE_COMMENT = ': keep-alive\n\n'

/** Headers of every event stream; the last one disables buffering in proxies. */
export const SSE_HEADERS: Readonly<Record<string, string>> = {
  ...BASE_HEADERS,
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** Formats an event. */
export function toSseText({ data, id, event, retry }: SseEvent): string {
  let text = ''
  if (event !== undefined) text += `event: ${event}\n`
  if (id !== undefined) text += `id: ${id}\n`
  if (retry !== undefined) text += `retry: ${retry}\n`
  // A line break in the data would end the field and allow injected fields.
  for (const line of data.split(LINE_BREAK)) text += `data: ${line}\n`
  return `${text}\n`
}
