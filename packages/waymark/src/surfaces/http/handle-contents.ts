import { createContentHandler } from '@waymark/cas/http'
import type { Context } from '../../core/context.ts'
import { Failure, FAILURES, toFailureReport } from '../../core/error.ts'
import { execute } from '../../core/execute.ts'
import { addArtifact, showArtifact } from '../../artifact/operations.ts'
import { contentsOf } from '../../artifact/content/open-contents.ts'
import { violation } from '../../core/input/parse.ts'

/**
 * `POST /cas?name=&tag=&link=` stores the body as an artifact, `GET /cas/{hash}` answers with the bytes of one. The
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
        const signal = AbortSignal.any([context.signal, request.signal])
        const artifact = await execute({ ...context, body, signal }, addArtifact, input)
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
    const list = REPEATED[name]
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
