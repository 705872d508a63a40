const SENTINEL = /^=\?base64\?(.*)\?=$/s
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes a header value that may be base64 encoded (`=?base64?…?=`). `undefined` for invalid base64, which must not be
 * taken literally: a proxy may have decoded it differently.
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
