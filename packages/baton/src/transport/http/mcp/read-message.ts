import { toMessages } from '../../../protocol/json-rpc.ts'
import type { IncomingMessage } from '../../../protocol/json-rpc.ts'
import type { Operation } from '../../../auth/scope-policy.ts'
import { decodeFrame } from '../../frame-decoder.ts'
import { acceptsJsonAndSse, isJsonBody } from './content-negotiation.ts'
import { toErrorAnswer } from '../http-error.ts'
import type { HttpAnswer, HttpRequest } from '../http-message.ts'

/** Size and depth limits of a message. */
export interface MessageLimits {
  readonly frameBytes: number
  readonly depth: number
}

/** Reads the message of a POST, or returns the response that refuses it. */
export async function readMessage(
  request: HttpRequest,
  { frameBytes, depth }: MessageLimits,
): Promise<IncomingMessage | HttpAnswer> {
  if (!isJsonBody(request.header('content-type')))
    return toErrorAnswer({ status: 415, message: 'the body must be application/json' })
  const body = await request.readBody(frameBytes)
  if (body === undefined)
    return toErrorAnswer({ status: 413, message: `message is longer than ${frameBytes} bytes` })
  const message = decodeFrame(body, depth)
  if (message === undefined) return toErrorAnswer({ status: 400, message: 'the body is empty' })
  if (message.kind !== 'invalid') return message
  const { id, code, reason } = message
  return toErrorAnswer({ status: 400, message: reason, code, id })
}

/** Refuses a POST whose client does not accept both JSON and event streams. */
export function checkAccept(request: HttpRequest): HttpAnswer | undefined {
  if (acceptsJsonAndSse(request.header('accept'))) return undefined
  const message = 'the client must accept application/json and text/event-stream'
  return toErrorAnswer({ status: 406, message })
}

export function isAnswer(value: IncomingMessage | HttpAnswer): value is HttpAnswer {
  return 'status' in value
}

/** The operations of a frame, for the scope policy. */
export function toOperations(message: IncomingMessage): Operation[] {
  return toMessages(message).flatMap((single) => {
    if (single.kind !== 'request' && single.kind !== 'notification') return []
    const { method, params } = single
    const { name } = params
    const isToolCall = method === 'tools/call' && typeof name === 'string'
    return [{ method, params, ...(isToolCall && { tool: name }) }]
  })
}
