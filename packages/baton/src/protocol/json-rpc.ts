import { DEFAULT_DEPTH, findIdText, measureJson, scanValue } from '../internal/json-text.ts'
import type { MemberCount } from '../internal/json-text.ts'
import { ERROR_CODES } from './error.ts'

/** The JSON-RPC id of a request: a string or a safe integer. */
export type RequestId = string | number

/** A JSON object whose members are not validated yet. */
export type JsonObject = Record<string, unknown>

/** A call that must be answered exactly once, unless the client cancels it. */
export interface RequestMessage {
  readonly kind: 'request'
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject
}

/** A notification, which is never answered, not even if it is invalid. */
export interface NotificationMessage {
  readonly kind: 'notification'
  readonly method: string
  readonly params: JsonObject
}

/** The client's response to a request of the server; the id is null if it is missing or invalid. */
export interface ResponseMessage {
  readonly kind: 'response'
  readonly id: RequestId | null
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Several messages in one frame; only protocol revision 2025-03-26 allows batches. */
export interface BatchMessage {
  readonly kind: 'batch'
  readonly messages: readonly SingleMessage[]
}

/** An invalid frame; it is answered with an error, with the id of the frame if that could be read. */
export interface InvalidMessage {
  readonly kind: 'invalid'
  readonly id: RequestId | null
  readonly code: number
  readonly reason: string
}

/** Any message that is not a batch. */
export type SingleMessage = RequestMessage | NotificationMessage | ResponseMessage | InvalidMessage

/** A parsed frame. */
export type IncomingMessage = SingleMessage | BatchMessage

/** The messages of a frame. */
export function toMessages(message: IncomingMessage): readonly SingleMessage[] {
  return message.kind === 'batch' ? message.messages : [message]
}

/** Whether a value is a JSON object: not null and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const MAX_ID_LENGTH = 256

/**
 * Whether a value is a valid request id.
 * Other numbers (2^53 + 1, 1e400, -0) change when they are serialised, so a client could not match the response.
 */
export function isRequestId(value: unknown): value is RequestId {
  if (typeof value === 'string') return value.length <= MAX_ID_LENGTH
  return Number.isSafeInteger(value) && !Object.is(value, -0)
}

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

/** Finds the id of a request in the first part of its text, for frames that cannot be parsed completely. */
export function findRequestId(text: string): RequestId | null {
  const idText = findIdText(text)
  if (idText === undefined) return null
  try {
    const id: unknown = JSON.parse(idText)
    return isRequestId(id) ? id : null
  } catch {
    return null
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
