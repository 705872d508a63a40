/** The bearer token of an `Authorization` header, or why there is none. */
export type BearerCredential =
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'unusable' }
  | { readonly kind: 'token'; readonly token: string }

const BEARER_SCHEME = /^bearer(?: |$)/i
const ONE_WORD = /^bearer(?: +\S*)?$/i
const BEARER_TOKEN = /^bearer +([a-z0-9\-._~+/]+=*)$/i

/**
 * Parses an `Authorization` header. Repeated headers are joined with a comma, which no token contains. An empty token and
 * one such as `${TOKEN}` are unusable: the client's configuration has a variable that is not set.
 */
export function parseBearer(authorization: string | null): BearerCredential {
  const text = authorization?.trim()
  if (text === undefined) return { kind: 'none' }
  if (text.includes(',')) return { kind: 'malformed' }
  if (!BEARER_SCHEME.test(text)) return { kind: 'none' }
  const token = BEARER_TOKEN.exec(text)?.[1]
  if (token !== undefined) return { kind: 'token', token }
  return { kind: ONE_WORD.test(text) ? 'unusable' : 'malformed' }
}
