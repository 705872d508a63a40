/** What git takes for yes. */
export function isEnabled(value: string): boolean {
  return /^(?:true|yes|on)$/i.test(value) || (/^[+-]?\d+$/.test(value) && Number(value) !== 0)
}

export function isBoolean(value: string): boolean {
  return isEnabled(value) || /^(?:false|no|off||[+-]?0+)$/i.test(value)
}

/** Section, what stands between the first and the last dot, and name. */
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

/** An address without user and password, wherever it stands in a text. */
export function hideCredentials(text: string): string {
  return text.replaceAll(/:\/\/[^\s/@]+@/g, '://***@')
}
