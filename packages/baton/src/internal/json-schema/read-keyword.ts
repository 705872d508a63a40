import type { JsonObject } from '../../protocol/json-rpc.ts'

/** The value of a keyword that must be a number. */
export function readNumber(schema: JsonObject, keyword: string): number | undefined {
  const value = schema[keyword]
  if (value === undefined || typeof value === 'number') return value
  throw new TypeError(`schema keyword ${keyword} must be a number`)
}

/** The value of a keyword that must be a list of strings. */
export function readStrings(schema: JsonObject, keyword: string): readonly string[] {
  const value = schema[keyword] ?? []
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  throw new TypeError(`schema keyword ${keyword} must be a list of strings`)
}

/** The value of a keyword that must be a list of schemas. */
export function readSchemas(schema: JsonObject, keyword: string): readonly unknown[] {
  const value = schema[keyword] ?? []
  if (Array.isArray(value)) return value
  throw new TypeError(`schema keyword ${keyword} must be a list of schemas`)
}
