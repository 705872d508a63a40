import { isJsonObject } from '../protocol/json-rpc.ts'
import type { JsonObject } from '../protocol/json-rpc.ts'
import type { JsonSchema } from '../protocol/server-features/tool.ts'

/** A tool argument that HTTP clients must repeat in a header. */
export interface ParameterHeader {
  /** The full header name: `Mcp-Param-` and the name in the schema. */
  readonly header: string
  /** The path of member names to the argument. */
  readonly path: readonly string[]
  readonly type: 'string' | 'integer' | 'boolean'
}

const ANNOTATION = 'x-mcp-header'
const PREFIX = 'Mcp-Param-'
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const TYPES = ['string', 'integer', 'boolean'] as const

/** Finds the arguments that an input schema marks for headers; throws if an annotation is invalid. */
export function readParameterHeaders(schema: JsonSchema): readonly ParameterHeader[] {
  const headers = collect(schema, [])
  const names = headers.map(({ header }) => header.toLowerCase())
  if (new Set(names).size < names.length) {
    throw new TypeError(`${ANNOTATION} names must be unique (case-insensitive)`)
  }
  return headers
}

// Only nested `properties` count: behind a reference or an alternative the path would be ambiguous.
function collect(schema: JsonObject, path: readonly string[]): ParameterHeader[] {
  const { properties } = schema
  if (!isJsonObject(properties)) return []
  return Object.entries(properties).flatMap(([name, member]) => {
    if (!isJsonObject(member)) return []
    const memberPath = [...path, name]
    return [...toHeader(member, memberPath), ...collect(member, memberPath)]
  })
}

function toHeader(member: JsonObject, path: readonly string[]): ParameterHeader[] {
  const name = member[ANNOTATION]
  if (name === undefined) return []
  if (typeof name !== 'string' || !TOKEN.test(name)) {
    throw new TypeError(`${ANNOTATION} of ${path.join('.')} is not a header name`)
  }
  const type = TYPES.find((known) => known === member['type'])
  if (type === undefined) {
    throw new TypeError(`${ANNOTATION} of ${path.join('.')} needs a string, integer or boolean`)
  }
  return [{ header: PREFIX + name, path, type }]
}
