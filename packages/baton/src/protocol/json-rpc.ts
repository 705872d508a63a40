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
