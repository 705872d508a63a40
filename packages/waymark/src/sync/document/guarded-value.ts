import type { RawState } from './document-state.ts'

/** With this the library marks a text as the name of a container: it refuses it as a value, or cannot read it back. */
const RESERVED = '\u{1F99C}'
const GUARD = '\u0010'

/** A value as it is kept in a document: texts that the library would take for something else begin with a guard. */
export function guard(value: unknown): unknown {
  return mapTexts(value, (text) =>
    isReserved(text) || text.startsWith(GUARD) ? `${GUARD}${text}` : text,
  )
}

/** Unguarded, the library would take it for something else. */
export function isReserved(text: string): boolean {
  return text.startsWith(RESERVED)
}

/** What is in the maps of a document, as it was before it was kept. Texts that are edited are never guarded. */
export function unguardState(state: RawState): RawState {
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? value
        : mapTexts(value, (text) => (text.startsWith(GUARD) ? text.slice(GUARD.length) : text)),
    ]),
  )
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, mapTexts(inner, map)]),
  )
}
