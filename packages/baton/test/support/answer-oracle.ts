const MAX_DEPTH = 64
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])
const STRING = /"(?:[^"\\]|\\.)*"/gs

/**
 * Says how many answers a line must get, by another way than the server goes: it parses first and asks
 * questions later. Everything is answered once, except blank lines, responses and real notifications.
 */
export function countExpectedAnswers(line: Buffer): 0 | 1 {
  if (/^[ \t\r]*$/.test(line.toString('latin1'))) return 0
  const text = decode(line)
  const value = text === undefined ? undefined : parse(text)
  if (text === undefined || value === undefined) return 1
  const { members, depth, isForbidden } = measure(value.parsed)
  if (depth > MAX_DEPTH) return 1
  if (members !== (text.replace(STRING, '').match(/:/g)?.length ?? 0)) return 1
  return isSilent(value.parsed, isForbidden) ? 0 : 1
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

function measure(value: unknown): { members: number; depth: number; isForbidden: boolean } {
  if (typeof value !== 'object' || value === null) {
    return { members: 0, depth: 0, isForbidden: false }
  }
  const names = Array.isArray(value) ? [] : Object.keys(value)
  const parts = Object.values(value).map(measure)
  return {
    members: names.length + parts.reduce((sum, part) => sum + part.members, 0),
    depth: 1 + Math.max(0, ...parts.map((part) => part.depth)),
    isForbidden:
      names.some((name) => FORBIDDEN.has(name)) || parts.some((part) => part.isForbidden),
  }
}
