const MAX_DEPTH = 64
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])
const STRING = /"(?:[^"\\]|\\.)*"/gs
// A quote that nothing closes hides all that follows it.
const STRING_OR_REST = /"(?:[^"\\]|\\.)*(?:"|\\?$)/gs

/** The acceptable ids of the response to a line, in order of preference. */
export type ExpectedAnswer = readonly string[]

/**
 * Computes the expected response to a line independently of the server: it parses first and checks later.
 * Every line gets one response, except blank lines, responses and valid notifications.
 */
export function expectedAnswer(line: Buffer): ExpectedAnswer | undefined {
  if (/^[ \t\r]*$/.test(line.toString('latin1'))) return undefined
  const text = decode(line)
  if (text === undefined) return [NOT_JSON]
  const value = parse(text)
  // The server stops reading at the level that is one too many, and may have seen an id by then.
  if (isDeep(text)) return [...idsIn(text), NO_REQUEST, NOT_JSON]
  if (value === undefined) return [NOT_JSON]
  const { members, isForbidden } = measure(value.parsed)
  // Duplicate names are ambiguous; the id is returned only if it is not one of them.
  if (members !== (text.replace(STRING, '').match(/:/g)?.length ?? 0))
    return [...idsIn(text), NO_REQUEST]
  if (isSilent(value.parsed, isForbidden)) return undefined
  return [keyOf(idOf(value.parsed), -32600)]
}

/** The identity of a response: its id, or its error if it has none. */
export function keyOf(id: unknown, code: unknown): string {
  return id === null ? `null ${String(code)}` : JSON.stringify(id)
}

const NOT_JSON = keyOf(null, -32700)
const NO_REQUEST = keyOf(null, -32600)

function idOf(value: unknown): string | number | null {
  const { id } = Object(value) as { id?: unknown }
  if (Array.isArray(value)) return null
  if (typeof id === 'string') return id.length <= 256 ? id : null
  return Number.isSafeInteger(id) && !Object.is(id, -0) ? (id as number) : null
}

/** Every id in the text, at any level. */
function idsIn(text: string): string[] {
  return [...text.matchAll(/"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/gs)].flatMap(
    ([, literal = '']) => {
      const id = parse(literal)
      return id === undefined ? [] : [JSON.stringify(id.parsed)]
    },
  )
}

/** Whether a text nests too deep. */
function isDeep(text: string): boolean {
  let depth = 0
  for (const bracket of text.replace(STRING_OR_REST, '').match(/[[\]{}]/g) ?? []) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    if (depth > MAX_DEPTH) return true
  }
  return false
}

function isSilent(value: unknown, isForbidden: boolean): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { jsonrpc, method, params, ...rest } = value as Record<string, unknown>
  if (jsonrpc !== '2.0') return false
  if (!('method' in value)) return 'result' in value || 'error' in value
  if (typeof method !== 'string' || Object.keys(rest).length > 0) return false
  return isForbidden || params === undefined || (typeof params === 'object' && params !== null)
}

function decode(line: Buffer): string | undefined {
  const text = line.toString('utf8')
  return Buffer.from(text).equals(line) ? text : undefined
}

function parse(text: string): { parsed: unknown } | undefined {
  try {
    return { parsed: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

function measure(value: unknown): { members: number; isForbidden: boolean } {
  if (typeof value !== 'object' || value === null) return { members: 0, isForbidden: false }
  const names = Array.isArray(value) ? [] : Object.keys(value)
  const parts = Object.values(value).map(measure)
  return {
    members: names.length + parts.reduce((sum, part) => sum + part.members, 0),
    isForbidden:
      names.some((name) => FORBIDDEN.has(name)) || parts.some((part) => part.isForbidden),
  }
}
