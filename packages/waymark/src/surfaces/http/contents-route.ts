import { createContentHandler } from '@waymark/cas/http'
import type { HttpAnswer, HttpRequest } from '@waymark/baton/http'
import type { Context } from '../../core/context.ts'
import { Failure, FAILURES, toFailureReport } from '../../core/error.ts'
import { execute } from '../../core/execute.ts'
import { addArtifact, showArtifact } from '../../artifact/operations.ts'
import { contentsOf } from '../../artifact/content/open-contents.ts'
import { violation } from '../../core/input/parse.ts'
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

const SINGLE = ['name', 'parent', 'variation_set']
const REPEATED: Readonly<Record<string, string>> = { tag: 'tags', link: 'links' }

/** The artifact's fields in the query; the expected hash is read by the content handler. */
function fromQuery(query: URLSearchParams): Readonly<Record<string, unknown>> {
  const input: Record<string, unknown> = {}
  for (const name of new Set(query.keys())) {
    const list = lookUp(REPEATED, name)
    if (list !== undefined) input[list] = query.getAll(name)
    else if (SINGLE.includes(name)) input[name] = query.get(name)
    else if (name !== 'sha256')
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
