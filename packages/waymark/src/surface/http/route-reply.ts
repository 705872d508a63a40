import type { HttpAnswer, HttpReply, HttpRequest } from '@waymark/baton/http'
import { Failure, type FailureCode } from '../../error.ts'
import { toFailureAnswer } from './json-answer.ts'
import { parsePath } from './site-path.ts'

/**
 * A way back on which refusals read as the document of the routes says. The layer below refuses strangers, foreign
 * hosts and unknown addresses before it is clear who answers, and speaks as MCP does.
 */
export function inWordsOfRoutes({ path }: HttpRequest, reply: HttpReply): HttpReply {
  if (parsePath(path)?.kind === 'mcp') return reply
  return {
    setHeader: (name, value) => reply.setHeader(name, value),
    send: (answer) => reply.send(toRouteAnswer(answer)),
    stream: () => reply.stream(),
    onDisconnect: (listener) => reply.onDisconnect(listener),
  }
}

const CODES: Readonly<Record<number, FailureCode>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  429: 'busy',
  500: 'internal',
  503: 'busy',
}

function toRouteAnswer(answer: HttpAnswer): HttpAnswer {
  const { status, headers = {}, body } = answer
  const message = messageOf(body)
  if (message === undefined) return answer
  return toFailureAnswer(new Failure(CODES[status] ?? 'invalid_input', message), {
    status,
    headers,
  })
}

/** What an error of the protocol says; undefined for every other answer. */
function messageOf(body: HttpAnswer['body']): string | undefined {
  if (typeof body !== 'string' || !body.startsWith('{"jsonrpc":')) return undefined
  const { error } = JSON.parse(body) as { readonly error?: { readonly message?: unknown } }
  return typeof error?.message === 'string' ? error.message : undefined
}
