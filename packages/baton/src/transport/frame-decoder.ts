import { ERROR_CODES } from '../protocol/error.ts'
import type { IncomingMessage } from '../protocol/json-rpc.ts'
import { findRequestId, parseMessage } from '../protocol/json-rpc.ts'

const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const TAB = 0x09
/** How much of an oversized frame is searched for its id. */
const ID_SEARCH_BYTES = 64 * 1024

// `fatal` refuses invalid UTF-8 instead of replacing it; a byte order mark is kept and then refused as invalid JSON.
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenientUtf8 = new TextDecoder('utf-8')

/** Decodes and parses one line; undefined for a blank line. */
export function decodeFrame(line: Uint8Array, maxDepth: number): IncomingMessage | undefined {
  if (isBlank(line)) return undefined
  let text: string
  try {
    text = strictUtf8.decode(line)
  } catch {
    return {
      kind: 'invalid',
      id: null,
      code: ERROR_CODES.parseError,
      reason: 'message is not valid UTF-8',
    }
  }
  return parseMessage(text, maxDepth)
}

/** The invalid message for a frame over the size limit, with its id if that is near the start. */
export function decodeOversized(start: Uint8Array, maxBytes: number): IncomingMessage {
  return {
    kind: 'invalid',
    id: findRequestId(lenientUtf8.decode(start.subarray(0, ID_SEARCH_BYTES))),
    code: ERROR_CODES.invalidRequest,
    reason: `message is longer than ${maxBytes} bytes`,
  }
}

function isBlank(line: Uint8Array): boolean {
  for (const byte of line) {
    if (byte !== CARRIAGE_RETURN && byte !== SPACE && byte !== TAB) return false
  }
  return true
}
