import { DEFAULT_DEPTH, measureJson } from '../internal/json-limits.ts'
import { findRequestId } from '../internal/json-text.ts'
import type { MemberCount } from '../internal/json-text.ts'
import { scanValue } from '../internal/json-value.ts'
import { ERROR_CODES } from './error.ts'
import { isJsonObject, isRequestId } from './json-rpc.ts'
import type {
  IncomingMessage,
  InvalidMessage,
  JsonObject,
  RequestId,
  ResponseMessage,
  SingleMessage,
} from './json-rpc.ts'

const NO_PARAMS: JsonObject = Object.freeze({})

/** Parses the text of one frame; an invalid frame becomes an `InvalidMessage`. */
export function parseMessage(text: string, maxDepth: number = DEFAULT_DEPTH): IncomingMessage {
  const { count, excess } = measureJson(text, maxDepth)
  if (excess !== undefined) return refuseContent(findRequestId(text), `message ${excess}`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return invalid(null, ERROR_CODES.parseError, 'message is not valid JSON')
  }
  if (Array.isArray(value)) return parseBatch(value, count)
  return checkMembers(value, count) ?? classify(value)
}

function parseBatch(values: readonly unknown[], count: MemberCount): IncomingMessage {
  if (values.length === 0) return invalid(null, ERROR_CODES.invalidRequest, 'batch is empty')
  const refused = checkMembers(values, count)
  if (refused !== undefined) return refused
  return { kind: 'batch', messages: values.map((value) => classify(value)) }
}

/**
 * Refuses duplicate member names, which show as more members in the text than in the parsed value. `JSON.parse` keeps
 * the last of them and other parsers the first, so a proxy could have checked another message than the one that runs.
 */
function checkMembers(value: unknown, count: MemberCount): SingleMessage | undefined {
  const scan = scanValue(value)
  if (scan.members !== count.all) {
    const readable = isJsonObject(value) && Object.keys(value).length === count.root
    return invalidRequest(readable ? idOf(value) : null, 'message has a duplicate member name')
  }
  if (scan.forbiddenName === undefined) return undefined
  const reason = `member name ${scan.forbiddenName} is not allowed`
  const message = classify(value)
  switch (message.kind) {
    case 'notification':
      return { ...message, params: NO_PARAMS }
    case 'response': {
      const error = { code: ERROR_CODES.invalidParams, message: reason }
      return { kind: 'response', id: message.id, error }
    }
    case 'request':
    case 'invalid':
      return refuseContent(message.id, reason)
  }
}

function classify(value: unknown): SingleMessage {
  if (!isJsonObject(value)) return invalidRequest(null, 'message is not an object')
  if (value['jsonrpc'] !== '2.0') return invalidRequest(idOf(value), 'jsonrpc must be "2.0"')
  if ('method' in value) return classifyCall(value)
  if ('result' in value || 'error' in value) return classifyResponse(value)
  return invalidRequest(idOf(value), 'message has no method')
}

function classifyCall(value: JsonObject): SingleMessage {
  const { id, method, params = NO_PARAMS } = value
  const isRequest = 'id' in value
  if (isRequest && !isRequestId(id)) {
    return invalidRequest(null, 'id must be a string of at most 256 characters or a safe integer')
  }
  const answerTo = isRequest ? (id as RequestId) : null
  if (typeof method !== 'string') return invalidRequest(answerTo, 'method must be a string')
  if (typeof params !== 'object' || params === null) {
    return invalidRequest(answerTo, 'params must be an object')
  }
  const known = 2 + Number(isRequest) + Number('params' in value)
  if (Object.keys(value).length !== known) {
    return invalidRequest(answerTo, 'message has an unknown top-level member')
  }
  if (!isJsonObject(params)) {
    if (answerTo === null) return { kind: 'notification', method, params: NO_PARAMS }
    return invalid(answerTo, ERROR_CODES.invalidParams, 'params must be an object, not an array')
  }
  if (answerTo === null) return { kind: 'notification', method, params }
  return { kind: 'request', id: answerTo, method, params }
}

function classifyResponse(value: JsonObject): SingleMessage {
  const { result, error } = value
  // An invalid response is not answered, because two peers could then send errors to each other forever.
  const id = idOf(value)
  if (!('error' in value)) return { kind: 'response', id, result }
  return { kind: 'response', id, error: toResponseError(error) }
}

function toResponseError(error: unknown): NonNullable<ResponseMessage['error']> {
  const { code, message, data } = isJsonObject(error) ? error : NO_PARAMS
  return {
    code: typeof code === 'number' ? code : ERROR_CODES.internalError,
    message: typeof message === 'string' ? message : 'client sent an error without a message',
    data,
  }
}

function idOf(value: JsonObject): RequestId | null {
  return isRequestId(value['id']) ? value['id'] : null
}

function invalidRequest(id: RequestId | null, reason: string): InvalidMessage {
  return invalid(id, ERROR_CODES.invalidRequest, reason)
}

/** Refuses a message for its content: as invalid params if it has an id, as an invalid request otherwise. */
function refuseContent(id: RequestId | null, reason: string): InvalidMessage {
  return id === null ? invalidRequest(null, reason) : invalid(id, ERROR_CODES.invalidParams, reason)
}

function invalid(id: RequestId | null, code: number, reason: string): InvalidMessage {
  return { kind: 'invalid', id, code, reason }
}
