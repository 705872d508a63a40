import { isJsonObject } from '../protocol/json-rpc.ts'

/** Spells a JSON value so that equal values have equal texts, whatever the order of their members. */
export function toCanonicalText(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).sort(byName)) : member,
  )
}

function byName([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1
}
