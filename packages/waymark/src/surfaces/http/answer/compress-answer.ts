import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { HttpAnswer, HttpRequest } from '@waymark/baton/http'

/** Shorter answers fit into one packet. */
const WORTH_BYTES = 1400
/** Nearly as small as the higher levels at a fraction of their time. */
const LEVEL = 1

const compress = promisify(gzip)

/**
 * Compresses a long text answer in a thread of the pool, for a client that accepts it. No answer holds a token, so its
 * length says nothing about one.
 */
export async function compressAnswer(
  request: HttpRequest,
  answer: HttpAnswer,
): Promise<HttpAnswer> {
  const { body, headers } = answer
  if (typeof body !== 'string' || Buffer.byteLength(body) <= WORTH_BYTES) return answer
  if (!acceptsGzip(request.header('accept-encoding'))) return answer
  const bytes = await compress(body, { level: LEVEL })
  const encoded = { 'content-encoding': 'gzip', vary: 'accept-encoding, origin' }
  return { ...answer, ...inOnePiece(bytes, { ...headers, ...encoded }) }
}

function acceptsGzip(header: string | null): boolean {
  return /(?:^|[\s,])gzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(header ?? '')
}

/** Bytes as the body of an answer. */
export function inOnePiece(
  bytes: Uint8Array,
  headers: HttpAnswer['headers'],
): Pick<HttpAnswer, 'headers' | 'body'> {
  return {
    headers: { ...headers, 'content-length': String(bytes.byteLength) },
    body: (async function* () {
      yield bytes
    })(),
  }
}
