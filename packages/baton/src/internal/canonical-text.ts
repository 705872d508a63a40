import { isJsonObject } from '../protocol/json-rpc.ts'

/** Serialises a JSON value with sorted member names, so that equal values have equal texts. */
export function toCanonicalText(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).sort(byName)) : member,
  )
}

function byName([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1
}
