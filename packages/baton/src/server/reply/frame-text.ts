import type { ProtocolError } from '../../protocol/error.ts'
import type { RequestId } from '../../protocol/json-rpc.ts'
import type { OutgoingFrame } from '../message-sink.ts'

/** Builds the response for a result that is already serialised. */
export function toResultFrame(id: RequestId, resultText: string): OutgoingFrame {
  return { kind: 'response', text: `{"jsonrpc":"2.0","id":${toIdText(id)},"result":${resultText}}` }
}

/** Builds the response for an error. */
export function toErrorFrame(
  id: RequestId | null,
  error: Pick<ProtocolError, 'code' | 'message'> & { readonly data?: unknown },
): OutgoingFrame {
  const { code, message } = error
  const body = JSON.stringify({ code, message, data: toJsonData(error.data) })
  return {
    kind: 'response',
    text: `{"jsonrpc":"2.0","id":${toIdText(id)},"error":${body}}`,
    errorCode: code,
  }
}

/** Builds a notification to the client. */
export function toNotificationFrame(method: string, params?: object): OutgoingFrame {
  return { kind: 'notification', text: JSON.stringify({ jsonrpc: '2.0', method, params }) }
}

/** Builds a request to the client. */
export function toRequestFrame(
  id: RequestId,
  method: string,
  params: object | undefined,
): OutgoingFrame {
  return { kind: 'request', text: JSON.stringify({ jsonrpc: '2.0', id, method, params }) }
}

/** Drops data that cannot be serialised, so that the error itself is still sent. */
function toJsonData(data: unknown): unknown {
  try {
    JSON.stringify(data)
    return data
  } catch {
    return undefined
  }
}

function toIdText(id: RequestId | null): string {
  return typeof id === 'string' ? JSON.stringify(id) : String(id)
}
