import { ERROR_CODES, ProtocolError } from '../../../protocol/error.ts'
import { toMessages } from '../../../protocol/json-rpc.ts'
import type { IncomingMessage } from '../../../protocol/json-rpc.ts'
import { toErrorFrame } from '../../../server/reply.ts'

const PROCESS_DIED = new ProtocolError(
  ERROR_CODES.internalError,
  'the server was restarted before the request was answered',
)

/** The error response to a frame whose process died, so that every request gets exactly one response. */
export function toFallbackAnswer(
  message: IncomingMessage,
  error: ProtocolError = PROCESS_DIED,
): string {
  const responses = toMessages(message)
    .filter((single) => single.kind === 'request')
    .map(({ id }) => toErrorFrame(id, error).text)
  return message.kind === 'batch' ? `[${responses.join()}]` : responses.join()
}
