import type { HttpAnswer, HttpReply, HttpRequest } from './http-message.ts'

const ALLOWED_METHODS = 'GET, POST, DELETE, OPTIONS'
/** What scripts of an allowed origin need to read from an answer. */
const EXPOSED_HEADERS = 'mcp-session-id, www-authenticate, retry-after'

/** Lets the pages of an allowed origin read answers; to be called once the origin has been checked. */
export function allowOrigin(request: HttpRequest, reply: HttpReply): void {
  const origin = request.header('origin')
  if (origin === null) return
  reply.setHeader('access-control-allow-origin', origin)
  reply.setHeader('access-control-expose-headers', EXPOSED_HEADERS)
  reply.setHeader('vary', 'origin')
}

/** Lets every page read an answer; for what is no secret. */
export function allowEveryOrigin(reply: HttpReply): void {
  reply.setHeader('access-control-allow-origin', '*')
}

/** The answer to a browser that asks whether it may send a request. */
export function toPreflightAnswer(request: HttpRequest): HttpAnswer {
  return {
    status: 204,
    headers: {
      'access-control-allow-methods': ALLOWED_METHODS,
      'access-control-allow-headers': request.header('access-control-request-headers') ?? '',
      'access-control-max-age': '600',
    },
  }
}
