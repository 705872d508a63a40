import { memoize } from '../../../internal/memoize.ts'

const JSON_TYPE = 'application/json'
const SSE_TYPE = 'text/event-stream'

/** Whether a body is declared as JSON; forms and plain text could be sent cross-origin without a CORS preflight. */
export function isJsonBody(contentType: string | null): boolean {
  return contentType === JSON_TYPE || toMediaType(contentType ?? '') === JSON_TYPE
}

/** Whether the client accepts both JSON and an event stream; the server chooses per request. */
export function acceptsJsonAndSse(accept: string | null): boolean {
  return acceptsBoth(accept ?? '')
}

export function acceptsSse(accept: string | null): boolean {
  return accepts(toMediaTypes(accept ?? ''), SSE_TYPE)
}

/** Whether the client asks for an event stream by name; browsers and curl accept anything. */
export function namesSse(accept: string | null): boolean {
  return toMediaTypes(accept ?? '').has(SSE_TYPE)
}

const acceptsBoth = memoize((accept) => {
  const accepted = toMediaTypes(accept)
  return accepts(accepted, JSON_TYPE) && accepts(accepted, SSE_TYPE)
})

function accepts(accepted: ReadonlySet<string>, type: string): boolean {
  return accepted.has(type) || accepted.has('*/*') || accepted.has(`${type.split('/', 1).join()}/*`)
}

function toMediaTypes(accept: string): ReadonlySet<string> {
  return new Set(accept.split(',').map(toMediaType))
}

function toMediaType(text: string): string {
  const end = text.indexOf(';')
  return (end === -1 ? text : text.slice(0, end)).trim().toLowerCase()
}
