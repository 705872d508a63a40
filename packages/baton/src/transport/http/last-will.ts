import { ERROR_CODES, ProtocolError } from '../../protocol/error.ts'
import type { IncomingMessage } from '../../protocol/json-rpc.ts'
import { toErrorFrame } from '../../server/reply/frame-text.ts'
import { toMessages } from './read-message.ts'

const LOST = new ProtocolError(
  ERROR_CODES.internalError,
  'the server was restarted before it had an answer',
)

/** The answer to requests whose process dies; everybody who asks gets one answer, even if it is this. */
export function toLastWill(message: IncomingMessage, why: ProtocolError = LOST): string {
  const answers = toMessages(message)
    .filter((single) => single.kind === 'request')
    .map(({ id }) => toErrorFrame(id, why).text)
  return message.kind === 'batch' ? `[${answers.join()}]` : answers.join()
}
