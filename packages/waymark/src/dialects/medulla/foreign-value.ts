const MARK = ' (not of this dialect)'

/** A value that neither the spec nor the engine knows, made of one that only the engine does. */
export function toForeign(value: string | number): string {
  return `${value}${MARK}`
}

/** What the caller sent. */
export function fromForeign(value: unknown): unknown {
  if (typeof value !== 'string' || !value.endsWith(MARK)) return value
  const sent = value.slice(0, -MARK.length)
  return /^-?\d/.test(sent) ? Number(sent) : sent
}
