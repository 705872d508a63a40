const SENTINEL = /^=\?base64\?(.*)\?=$/s
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The text that a header stands for: itself, or what its base64 form holds. `undefined` when that form is broken, which
 * must not pass for text: a proxy may have decided on another reading.
 */
export function decodeHeaderValue(value: string): string | undefined {
  const encoded = SENTINEL.exec(value)?.[1]
  if (encoded === undefined) return value
  if (!BASE64.test(encoded)) return undefined
  try {
    return strictUtf8.decode(Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0)))
  } catch {
    return undefined
  }
}
