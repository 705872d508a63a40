import { rememberVerdicts } from '../../internal/verdict-cache.ts'

const JSON_TYPE = 'application/json'
const SSE_TYPE = 'text/event-stream'

/** Whether a body is declared as JSON; a form or plain text is what a foreign page could send without asking. */
export function isJsonBody(contentType: string | null): boolean {
  return contentType === JSON_TYPE || toMediaType(contentType ?? '') === JSON_TYPE
}

/** Whether the client takes both forms of an answer: which one it gets is decided by what happens. */
export function acceptsJsonAndSse(accept: string | null): boolean {
  return takesBoth(accept ?? '')
}

export function acceptsSse(accept: string | null): boolean {
  return accepts(toMediaTypes(accept ?? ''), SSE_TYPE)
}

const takesBoth = rememberVerdicts((accept) => {
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
