/** Git's spellings of true. */
export function isEnabled(value: string): boolean {
  return /^(?:true|yes|on)$/i.test(value) || (/^[+-]?\d+$/.test(value) && Number(value) !== 0)
}

export function isBoolean(value: string): boolean {
  return isEnabled(value) || /^(?:false|no|off||[+-]?0+)$/i.test(value)
}

/** Splits a key at its first and its last dot; the subsection between them may contain dots. */
export function splitKey(key: string): {
  readonly section: string
  readonly subsection: string | undefined
  readonly name: string
} {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')]
  return {
    section: key.slice(0, Math.max(first, 0)),
    subsection: last > first ? key.slice(first + 1, last) : undefined,
    name: key.slice(last + 1),
  }
}

/** Masks user and password in all URLs of a text. */
export function hideCredentials(text: string): string {
  return text.replaceAll(/:\/\/[^\s/@]+@/g, '://***@')
}
