import * as z from 'zod'
import { createContentHandler } from '@waymark/cas/http'
import type { HttpAnswer, HttpRequest } from '@waymark/baton/http'
import type { Context } from '../../core/context.ts'
import { Failure, FAILURES, toFailureReport } from '../../core/error.ts'
import { execute } from '../../core/execute.ts'
import { addArtifact, showArtifact } from '../../artifact/operations.ts'
import { contentsOf } from '../../artifact/content/open-contents.ts'
import { requireShared } from '../../artifact/content/receive.ts'
import { withContentFailures } from '../../artifact/content/store.ts'
import { parseExact, violation } from '../../core/input/parse.ts'
import { createRequestContext, type RouteCall, toDenial } from './request-context.ts'
import { lookUp } from '../../support/look-up.ts'

/** Serves the bytes of artifacts below the path of the collection, as a stream in both directions. */
export async function answerContents(call: RouteCall, collection: string): Promise<HttpAnswer> {
  const { request, project, stopping } = call
  const denial = toDenial(call, request.method === 'POST' ? addArtifact : showArtifact)
  if (denial !== undefined) return denial
  // No timeout: a large content may take long on a slow connection. Disconnects and idle connections are detected.
  const context = await createRequestContext(await project.open(), call, stopping)
  const response = await handleContents(toWebRequest(request), context, collection)
  const { status, headers, body } = response
  return { status, headers: Object.fromEntries(headers), ...(body !== null && { body }) }
}

/**
 * `POST /cas?name=&tag=&link=` stores the body as an artifact, `GET /cas/{hash}` responds with the bytes of one. The
 * operations check the permissions.
 */
export async function handleContents(
  request: Request,
  context: Context,
  path = '/cas',
): Promise<Response> {
  const url = new URL(request.url)
  const linked = await answerLinks(request, url, { context, path })
  if (linked !== undefined) return linked
  const handle = createContentHandler(
    {
      put: async (bytes, { expectedHash, expectedSize }) => {
        const input = {
          ...fromQuery(new URL(request.url).searchParams),
          ...(expectedHash !== undefined && { sha256: expectedHash }),
        }
        const body = { bytes, ...(expectedSize !== undefined && { size: expectedSize }) }
        const artifact = await execute({ ...context, body }, addArtifact, input)
        return { ...artifact, isNew: true }
      },
      // Contents without an artifact cannot be read.
      stat: async (hash) => await execute(context, showArtifact, { id: hash }),
      get: (hash, range) => contentsOf(context).get(hash, range),
    },
    { path, onError: toResponse },
  )
  return await handle(request)
}

interface LinkCall {
  readonly context: Context
  readonly path: string
}

/**
 * Where the storage takes and gives bytes itself: `POST /cas/uploads` answers with an address for bytes of a hash,
 * `POST /cas?sent=<hash>` makes an artifact of what was sent there, and `GET /cas/<hash>?link=true` leads to the bytes.
 */
async function answerLinks(
  request: Request,
  url: URL,
  { context, path }: LinkCall,
): Promise<Response | undefined> {
  try {
    const { method } = request
    if (method === 'POST' && url.pathname === `${path}/uploads`) {
      const { sha256 } = parseExact(uploading, await request.json().catch(() => ({})))
      if (context.access.readOnly) throw new Failure('forbidden', 'this server is read-only')
      await context.hosted?.admit?.(addArtifact.name, {})
      const signed = await withContentFailures(async () =>
        requireShared(context).signUpload(sha256),
      )
      return Response.json(signed)
    }
    const sent = url.searchParams.get('sent')
    if (method === 'POST' && url.pathname === path && sent !== null) {
      const body = { bytes: new Uint8Array(), sent }
      const input = { ...fromQuery(url.searchParams), sha256: sent }
      return Response.json(await execute({ ...context, body }, addArtifact, input), { status: 201 })
    }
    if (method !== 'GET' || url.searchParams.get('link') !== 'true') return undefined
    const { hash } = await execute(context, showArtifact, { id: url.pathname.split('/').at(-1) })
    const location = await withContentFailures(() => requireShared(context).signDownload(hash))
    if (location === undefined) throw new Failure('not_found', 'there is no such content')
    const headers = { location, 'cache-control': 'no-store' }
    return new Response(null, { status: 307, headers })
  } catch (error) {
    return toResponse(error)
  }
}

const uploading = z.object({
  sha256: z.string().describe('Of the bytes, 64 hex digits'),
})

const SINGLE = ['name', 'parent', 'variation_set']
const REPEATED: Readonly<Record<string, string>> = { tag: 'tags', link: 'links' }

/** The artifact's fields in the query; the expected hash is read by the content handler. */
function fromQuery(query: URLSearchParams): Readonly<Record<string, unknown>> {
  const input: Record<string, unknown> = {}
  for (const name of new Set(query.keys())) {
    const list = lookUp(REPEATED, name)
    if (list !== undefined) input[list] = query.getAll(name)
    else if (SINGLE.includes(name)) input[name] = query.get(name)
    else if (name !== 'sha256' && name !== 'sent')
      throw violation(name, 'unknown_field', 'POST /cas has no such field')
  }
  return input
}

function toResponse(error: unknown): Response {
  if (!(error instanceof Failure)) throw error
  const status = FAILURES[error.code].http
  return Response.json({ error: toFailureReport(error) }, { status })
}

/** Headers that the content handler reads. */
const HEADERS = [
  'accept',
  'content-encoding',
  'content-length',
  'if-none-match',
  'if-range',
  'range',
]

function toWebRequest(request: HttpRequest): Request {
  const headers = new Headers()
  for (const name of HEADERS) {
    const value = request.header(name)
    if (value !== null) headers.set(name, value)
  }
  const query = request.query.toString()
  const url = `http://localhost${request.path}${query === '' ? '' : `?${query}`}`
  const { method } = request
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers })
  const body = ReadableStream.from(request.streamBody())
  return new Request(url, { method, headers, body, duplex: 'half' })
}
