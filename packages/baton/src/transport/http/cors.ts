import type { HttpAnswer, HttpReply, HttpRequest } from './http-message.ts'

const ALLOWED_METHODS = 'GET, POST, DELETE, OPTIONS'
/** Response headers that scripts of an allowed origin may read. */
const EXPOSED_HEADERS = 'mcp-session-id, www-authenticate, retry-after'

/** Lets pages of the request's origin read the response; to be called after the origin was checked. */
export function allowOrigin(request: HttpRequest, reply: HttpReply): void {
  const origin = request.header('origin')
  if (origin === null) return
  reply.setHeader('access-control-allow-origin', origin)
  reply.setHeader('access-control-expose-headers', EXPOSED_HEADERS)
  reply.setHeader('vary', 'origin')
}

/** Lets pages of any origin read the response; for public documents. */
export function allowEveryOrigin(reply: HttpReply): void {
  reply.setHeader('access-control-allow-origin', '*')
}

/** The response to a CORS preflight request. */
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
