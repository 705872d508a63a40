/**
 * Headers of every answer that says nothing else: no browser should guess what it is, show it in a frame, run any of it,
 * keep it, or tell others where it came from.
 */
export const BASE_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
}
