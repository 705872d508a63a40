import type { Context } from '../context.ts'
import { Failure, FAILURES, toFailureReport } from '../error.ts'
import { execute } from '../execute.ts'
import type { Operation } from '../operation.ts'
import { findOperation } from '../operations/index.ts'
import { violation } from '../parse.ts'
import { flagsOf, toInput } from './flags.ts'

const PREFIX = '/api/'
const LARGEST_BODY = 4 * 1024 * 1024

/** Spells operations as routes: `GET /api/entity.list?type=task` for what reads, `POST` with a JSON body for the rest. */
export async function handleHttp(request: Request, context: Context): Promise<Response> {
  const url = new URL(request.url)
  if (/^\/cas(\/|$)/.test(url.pathname)) {
    const { handleContents } = await import('./http-contents.ts')
    return await handleContents(request, context)
  }
  const operation = url.pathname.startsWith(PREFIX)
    ? await findOperation(url.pathname.slice(PREFIX.length))
    : undefined
  if (operation === undefined)
    return answer(404, {
      error: { code: 'not_found', message: `no route ${url.pathname}`, retryable: false },
    })
  const method = operation.effect === 'read' ? 'GET' : 'POST'
  if (request.method !== method && !(method === 'GET' && request.method === 'POST')) {
    return answer(
      405,
      {
        error: {
          code: 'invalid_input',
          message: `${operation.name} takes ${method}`,
          retryable: false,
        },
      },
      { allow: method },
    )
  }
  try {
    const input =
      request.method === 'GET' ? fromQuery(operation, url.searchParams) : await fromBody(request)
    return answer(200, await execute(context, operation, input))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return answer(FAILURES[error.code].http, { error: toFailureReport(error) })
  }
}

/** Query strings hold only text; the operation's schema says which of it are numbers and lists. */
function fromQuery(operation: Operation, query: URLSearchParams): unknown {
  const flags = flagsOf(operation)
  const known = new Map(flags.map((flag) => [flag.path.join('.'), flag]))
  const given: Record<string, unknown> = {}
  for (const name of new Set(query.keys())) {
    const flag = known.get(name)
    if (flag === undefined)
      throw violation(name, 'unknown_field', `${operation.name} has no such field`)
    given[flag.name] = flag.repeatable ? query.getAll(name) : query.get(name)
  }
  return toInput(flags, given)
}

async function fromBody(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw violation('content-type', 'not_one_of', 'must be application/json')
  const text = await readText(request)
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw violation('body', 'bad_format', `must be JSON: ${(cause as Error).message}`)
  }
}

async function readText(request: Request): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > LARGEST_BODY)
      throw violation('body', 'too_large', `must have at most ${LARGEST_BODY} bytes`, {
        max: LARGEST_BODY,
      })
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })
}
