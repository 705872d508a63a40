const GROUPS = '(?:[A-Za-z0-9_-]{4})*'
/** A last group of two or three characters has unused bits, which must be zero: else one token would have several encodings. */
const REMAINDER = '(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?'
const CANONICAL_BASE64URL = new RegExp(`^${GROUPS}${REMAINDER}$`)

/** Whether a token is a signed JWT in canonical base64url. Decoders also accept non-canonical forms of the same token. */
export function isCanonicalJwt(token: string): boolean {
  const parts = token.split('.', 4)
  return parts.length === 3 && parts.every((part) => part !== '' && CANONICAL_BASE64URL.test(part))
}
