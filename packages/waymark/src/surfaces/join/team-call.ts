import { setTimeout as sleep } from 'node:timers/promises'
import { type Details, Failure, isFailureCode } from '../../core/error.ts'
import type { Environment } from '../../core/project/setting.ts'
import type { Remote } from '../../core/remote.ts'
import { findJoinedServer, type JoinedServer } from './joined-servers.ts'

/** How long a call is tried again while the server is busy, and while it cannot be reached at all. */
const BUSY_MS = 10_000
const AWAY_MS = 2_000
const RETRY_MS = 300

/** Calls operations of the server that a clone has joined; undefined where it has joined none. */
export function findCall(state: string, env: Environment): Remote['call'] | undefined {
  const server = findJoinedServer(state, env)
  return server && createCall(server)
}

export function createCall(server: JoinedServer): Remote['call'] {
  const { project } = server
  return async (sent) => {
    const { operation, input, agent, isPerson, idempotencyKey, signal } = sent
    return await askServer(server, `/projects/${encodeURIComponent(project)}/api/${operation}`, {
      method: 'POST',
      body: JSON.stringify(input),
      headers: {
        ...(agent !== undefined && { 'waymark-agent': toHeader(agent) }),
        ...(isPerson === true && { 'waymark-person': 'true' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      signal,
    })
  }
}

type Sent = Pick<RequestInit, 'method' | 'body' | 'signal'> & { readonly headers?: object }

export function toRequest(
  { token }: Pick<JoinedServer, 'token'>,
  { headers, ...init }: Sent,
): RequestInit {
  return {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    // The token is for this server and no other.
    redirect: 'error',
  }
}

/**
 * Sends a request, again while the server cannot be reached or says that it is busy: writes have an idempotency key, so
 * that one whose answer was lost takes effect once. A Failure of the server is thrown as such.
 */
export async function askServer(
  { url, token }: Pick<JoinedServer, 'url' | 'token'>,
  path: string,
  sent: Sent = {},
): Promise<unknown> {
  const request = toRequest({ token }, sent)
  const began = performance.now()
  for (;;) {
    const answer = await send(`${url}${path}`, request)
    const waited = performance.now() - began
    if (answer instanceof Response) {
      const pause = pauseOf(answer)
      if (pause === undefined || waited + pause >= BUSY_MS) return await readAnswer(answer, url)
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
  if (status === 429) return toPause(headers.get('retry-after'))
  return BUSY.has(status) ? RETRY_MS : undefined
}

/** A proxy may give a date instead of seconds, and anything else. */
function toPause(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? 1)
  return Number.isFinite(seconds) ? Math.max(RETRY_MS, seconds * 1000) : 1000
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

export async function readAnswer(response: Response, url: string): Promise<unknown> {
  const body = await response.json().catch((): unknown => undefined)
  if (response.ok && body !== undefined) return body
  const { code, message, details } = { ...(body as { error?: Report } | undefined)?.error }
  if (isFailureCode(code)) throw new Failure(code, String(message), { details: { ...details } })
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
  const message = `the team server at ${url} cannot be reached, and this can only be done there; try again when you are online`
  return new Failure('storage_unavailable', message, { details: { reason: 'offline' }, cause })
}

/** Headers hold no other characters. */
function toHeader(name: string): string {
  return /^[\x20-\x7e]*$/.test(name) ? name : encodeURIComponent(name)
}
