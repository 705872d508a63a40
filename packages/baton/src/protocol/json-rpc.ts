/** The name a client gives to a request: a string, or an integer that a double holds exactly. */
export type RequestId = string | number

/** A JSON object whose members have not been checked yet. */
export type JsonObject = Record<string, unknown>

/** A call that must be answered exactly once, unless the client cancels it. */
export interface RequestMessage {
  readonly kind: 'request'
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject
}

/** A statement that is never answered, not even when it is wrong. */
export interface NotificationMessage {
  readonly kind: 'notification'
  readonly method: string
  readonly params: JsonObject
}

/** The client's answer to a request that the server sent; without a readable id it answers nothing. */
export interface ResponseMessage {
  readonly kind: 'response'
  readonly id: RequestId | null
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Several messages in one frame; only protocol revision 2025-03-26 knows them. */
export interface BatchMessage {
  readonly kind: 'batch'
  readonly messages: readonly SingleMessage[]
}

/** A frame that is no message; it is answered with its error, under its id if that could be read. */
export interface InvalidMessage {
  readonly kind: 'invalid'
  readonly id: RequestId | null
  readonly code: number
  readonly reason: string
}

/** Any message that is not a batch. */
export type SingleMessage = RequestMessage | NotificationMessage | ResponseMessage | InvalidMessage

/** What a frame turned out to be. */
export type IncomingMessage = SingleMessage | BatchMessage

/** Tells whether a value is a JSON object: not null and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const MAX_ID_LENGTH = 256

/**
 * Tells whether a value may name a request.
 * Other numbers would come back changed (2^53 + 1, 1e400, -0), so that no client could match the answer.
 */
export function isRequestId(value: unknown): value is RequestId {
  if (typeof value === 'string') return value.length <= MAX_ID_LENGTH
  return Number.isSafeInteger(value) && !Object.is(value, -0)
}
