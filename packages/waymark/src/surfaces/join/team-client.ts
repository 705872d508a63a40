import { setTimeout as sleep } from 'node:timers/promises'
import { type Details, Failure, type FailureCode, FAILURES } from '../../core/error.ts'
import type { Environment } from '../../core/project/setting.ts'
import type { Remote } from '../../core/remote.ts'
import { lookUp } from '../../support/look-up.ts'
import { findJoinedServer, type JoinedServer } from './joined-servers.ts'

/** How long a call is tried again while the server is busy, and while it cannot be reached at all. */
const BUSY_MS = 10_000
const AWAY_MS = 2_000
const RETRY_MS = 300

/** The server of a clone, for its contexts; nothing where it has joined none. */
export function remoteOf(state: string, env: Environment): { readonly remote?: Remote } {
  const server = findJoinedServer(state, env)
  return server === undefined ? {} : { remote: createTeamClient(server) }
}

function createTeamClient(server: JoinedServer): Remote {
  const { url, project } = server
  return {
    url,
    call: async ({ operation, input, agent, idempotencyKey, signal }) =>
      await askServer(server, `/projects/${encodeURIComponent(project)}/api/${operation}`, {
        method: 'POST',
        body: JSON.stringify(input),
        headers: {
          ...(agent !== undefined && { 'waymark-agent': toHeader(agent) }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        signal,
      }),
  }
}

/**
 * Sends a request, again while the server cannot be reached or says that it is busy: writes have an idempotency key, so
 * that one whose answer was lost takes effect once. A Failure of the server is thrown as such.
 */
export async function askServer(
  { url, token }: Pick<JoinedServer, 'url' | 'token'>,
  path: string,
  { headers, ...init }: Pick<RequestInit, 'method' | 'body' | 'signal'> & { headers?: object } = {},
): Promise<unknown> {
  const request: RequestInit = {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    // The token is for this server and no other.
    redirect: 'error',
  }
  const began = performance.now()
  for (;;) {
    const answer = await send(`${url}${path}`, request)
    const waited = performance.now() - began
    if (answer instanceof Response) {
      const pause = pauseOf(answer)
      if (pause === undefined || waited + pause >= BUSY_MS) return await read(answer, url)
      await answer.body?.cancel()
      await sleep(pause)
    } else if (waited >= AWAY_MS) throw unreachable(url, answer)
    else await sleep(RETRY_MS)
  }
}

/** From the server, or from a load balancer that has no replica for the moment. */
const BUSY: ReadonlySet<number> = new Set([502, 503, 504])

/** How long to wait before the request is sent again; undefined for an answer that is final. */
function pauseOf({ status, headers }: Response): number | undefined {
  if (status === 429) return Number(headers.get('retry-after') ?? 1) * 1000
  return BUSY.has(status) ? RETRY_MS : undefined
}

/** The response, or why there is none. */
async function send(url: string, request: RequestInit): Promise<unknown> {
  try {
    return await fetch(url, request)
  } catch (error) {
    if (request.signal?.aborted === true) throw error
    return error
  }
}

async function read(response: Response, url: string): Promise<unknown> {
  const body = await response.json().catch((): unknown => undefined)
  if (response.ok && body !== undefined) return body
  const { code, message, details } = { ...(body as { error?: Report } | undefined)?.error }
  if (typeof code === 'string' && lookUp(FAILURES, code) !== undefined)
    throw new Failure(code as FailureCode, String(message), { details: { ...details } })
  throw new Failure(
    'storage_unavailable',
    `${url} is no Waymark server, or a proxy in front of it refuses: it answered ${response.status}`,
  )
}

interface Report {
  readonly code?: string
  readonly message?: string
  readonly details?: Details
}

function unreachable(url: string, cause: unknown): Failure {
  const message = `the team server at ${url} cannot be reached, and its tasks and knowledge are only there; try again when you are online`
  return new Failure('storage_unavailable', message, { cause })
}

/** Headers hold no other characters. */
function toHeader(name: string): string {
  return /^[\x20-\x7e]*$/.test(name) ? name : encodeURIComponent(name)
}
