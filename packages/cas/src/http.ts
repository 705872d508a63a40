import type { ContentSource } from './chunks.ts'
import { ContentError, type ContentErrorCode } from './content-error.ts'
import type { ContentFacts, ContentStore } from './content-store.ts'
import { parseContentHash } from './hash.ts'
import { parseRange } from './range-header.ts'
import type { PutOptions, StoredContent } from './upload.ts'

/** What the handler needs of a store; an application can put its own rules in between. */
export interface ContentPort {
  readonly put: (source: ContentSource, options: PutOptions) => Promise<StoredContent>
  readonly get: ContentStore['get']
  readonly stat: (hash: string) => Promise<ContentFacts | undefined>
}

/** Where the handler is mounted, and what to do with an error that neither is a `ContentError` nor comes from one. */
export interface ContentHandlerOptions {
  /** The path of the collection; default: `/cas`. */
  readonly path?: string
  /** Answers for an error that the store knows nothing of; without it that is a plain 500. */
  readonly onError?: (error: unknown) => Response
}

const STATUS = {
  invalid_hash: 400,
  size_mismatch: 400,
  missing: 404,
  too_large: 413,
  invalid_range: 416,
  hash_mismatch: 422,
  corrupt: 500,
  unavailable: 503,
  no_space: 507,
} as const satisfies Record<ContentErrorCode, number>

/** Types that a browser shows without running anything in them. All others are sent as bytes. */
const PASSIVE = /^(image\/(png|jpeg|gif|webp|avif|bmp)|audio\/[\w-]+|video\/(mp4|webm))$/

/**
 * `POST /cas` stores the body (`?sha256=` checks it), `GET /cas/{hash}` returns it. Contents are untrusted, so the response
 * headers keep browsers from running them. Mount it behind the checks of Host, Origin and credentials that the other routes have.
 */
export function createContentHandler(
  port: ContentPort,
  { path = '/cas', onError }: ContentHandlerOptions = {},
): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname === path) return await collection(port, request, { path, searchParams })
      if (pathname.startsWith(`${path}/`)) {
        return await member(port, request, pathname.slice(path.length + 1))
      }
      return failure(404, 'missing', `not found; contents are under ${path}`)
    } catch (error) {
      const known = error instanceof Error && !isContentError(error) ? error.cause : error
      if (isContentError(known)) return failure(STATUS[known.code], known.code, known.message)
      return onError?.(error) ?? failure(500, 'internal', 'the request failed')
    }
  }
}

function isContentError(error: unknown): error is ContentError {
  return error instanceof ContentError
}

async function collection(
  port: ContentPort,
  request: Request,
  { path, searchParams }: { readonly path: string; readonly searchParams: URLSearchParams },
): Promise<Response> {
  if (request.method !== 'POST') return wrongMethod('POST')
  const encoding = request.headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity') {
    return failure(415, 'unsupported', 'send the content without Content-Encoding')
  }
  const stored = await port.put(
    request.body ?? new Uint8Array(),
    expectationOf(request, searchParams),
  )
  const headers = { location: `${path}/${stored.hash}`, etag: `"${stored.hash}"` }
  const status = stored.isNew ? 201 : 200
  if (!/\bapplication\/json\b/.test(request.headers.get('accept') ?? '')) {
    return new Response(stored.hash, {
      status,
      headers: { ...headers, 'content-type': 'text/plain' },
    })
  }
  const { isNew: _, ...facts } = stored
  return Response.json({ ...facts, uri: `cas://${stored.hash}` }, { status, headers })
}

function expectationOf(request: Request, searchParams: URLSearchParams): PutOptions {
  const expectedHash = searchParams.get('sha256')
  const length = request.headers.get('content-length')
  return {
    signal: request.signal,
    ...(expectedHash !== null && { expectedHash }),
    ...(length !== null && /^\d{1,15}$/.test(length) && { expectedSize: Number(length) }),
  }
}

async function member(port: ContentPort, request: Request, name: string): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return wrongMethod('GET, HEAD')
  const hash = parseContentHash(name)
  const facts = await port.stat(hash)
  if (facts === undefined) {
    return failure(404, 'missing', `there is no content with the hash ${hash}`)
  }
  const headers = headersOf(facts)
  if (isKnown(request, headers.etag)) return new Response(null, { status: 304, headers })
  if (request.method === 'HEAD') {
    return new Response(null, { headers: { ...headers, 'content-length': String(facts.size) } })
  }
  const range = parseRange(request.headers, facts.size, headers.etag)
  if (range === 'unsatisfiable') {
    return new Response(null, {
      status: 416,
      headers: { 'content-range': `bytes */${facts.size}` },
    })
  }
  const { start, end, size, bytes } = await port.get(hash, range)
  const length = { 'content-length': String(end - start) }
  if (range === undefined) return new Response(bytes, { headers: { ...headers, ...length } })
  const partial = { ...headers, ...length, 'content-range': `bytes ${start}-${end - 1}/${size}` }
  return new Response(bytes, { status: 206, headers: partial })
}

function isKnown(request: Request, etag: string): boolean {
  const known = request.headers.get('if-none-match')
  return known !== null && (known.trim() === '*' || known.includes(etag))
}

/** No sniffing, no scripts, no inline rendering: the bytes are untrusted. */
function headersOf({ hash, mime }: ContentFacts) {
  return {
    'content-type': PASSIVE.test(mime) ? mime : 'application/octet-stream',
    'content-disposition': `attachment; filename="${hash.slice(0, 16)}"`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    // Private: access may be restricted, so shared caches must not store it.
    'cache-control': 'private, max-age=31536000, immutable',
    'accept-ranges': 'bytes',
    etag: `"${hash}"`,
  }
}

function wrongMethod(allow: string): Response {
  const response = failure(405, 'wrong_method', `use ${allow}`)
  response.headers.set('allow', allow)
  return response
}

function failure(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message, retryable: status >= 500 } }, { status })
}
