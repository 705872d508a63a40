import type { CallToolResult } from '../protocol/server-features/tool.ts'
import type { Implementation } from '../protocol/implementation.ts'
import { isJsonObject } from '../protocol/json-rpc.ts'
import type { JsonObject, RequestId } from '../protocol/json-rpc.ts'
import { META_KEYS } from '../protocol/meta.ts'
import type { CacheHint } from '../protocol/server-features/resource.ts'
import type { Era } from '../protocol/version.ts'
import type { ProtocolError } from '../protocol/error.ts'
import type { OutgoingFrame } from './message-sink.ts'

/** Adds the `content` that clients require, even if it is empty. */
export function toToolResult(result: CallToolResult): CallToolResult {
  if (result.content !== undefined || result.structuredContent !== undefined) return result
  return { ...result, content: [] }
}

/** An error of a tool is a result, so that the model can read its message; the stack is not sent. */
export function toErrorResult(error: unknown): CallToolResult {
  const text = error instanceof Error && error.message !== '' ? error.message : 'the tool failed'
  return { content: [{ type: 'text', text }], isError: true }
}

/**
 * Serialises results. Handlers return one shape for all clients; this adds the members of the modern era: result type,
 * server info and, for cacheable methods, the cache hint.
 */
export class ResultText {
  readonly #serverMeta: JsonObject
  readonly #modernHead: string
  readonly #textsByShared = new WeakMap<object, Partial<Record<Era, string>>>()

  constructor(info: Implementation) {
    this.#serverMeta = { [META_KEYS.serverInfo]: info }
    this.#modernHead = `{"resultType":"complete","_meta":${JSON.stringify(this.#serverMeta)}`
  }

  /** Marks a result that will be sent several times, so that it is serialised once for each era. */
  share<T extends object>(result: T): T {
    this.#textsByShared.set(result, {})
    return result
  }

  /** The JSON of a result; `hint` is set for cacheable methods. */
  of(result: object, era: Era, hint: CacheHint | undefined): string {
    const texts = this.#textsByShared.get(result)
    if (texts === undefined) return this.#write(result, era, hint)
    return (texts[era] ??= this.#write(result, era, hint))
  }

  #write(result: object, era: Era, hint: CacheHint | undefined): string {
    if (era === 'legacy') return toText('ttlMs' in result ? withoutHint(result) : result)
    if (
      '_meta' in result ||
      'resultType' in result ||
      'ttlMs' in result ||
      'cacheScope' in result
    ) {
      return this.#writeMerged(result, hint)
    }
    // A typical result has none of the added members, so they can be prepended to its text.
    const head = hint === undefined ? this.#modernHead : this.#modernHead + toHintText(hint)
    const text = toText(result)
    return text === '{}' ? `${head}}` : `${head},${text.slice(1)}`
  }

  #writeMerged(result: object, hint: CacheHint | undefined): string {
    const ownMeta = '_meta' in result && isJsonObject(result._meta) ? result._meta : undefined
    const _meta = { ...this.#serverMeta, ...ownMeta }
    return toText({ resultType: 'complete', ...hint, ...result, _meta })
  }
}

function toHintText({ ttlMs, cacheScope }: CacheHint): string {
  return `,"ttlMs":${ttlMs},"cacheScope":"${cacheScope}"`
}

function withoutHint(result: object & { ttlMs?: unknown; cacheScope?: unknown }): object {
  const { ttlMs: _ttlMs, cacheScope: _cacheScope, ...rest } = result
  return rest
}

/** Adds the text copy of structured content, as `toText` does, for results that are stored. */
export function withTextMirror(result: object): object {
  const { content, structuredContent }: CallToolResult = result
  if (structuredContent === undefined || content !== undefined) return result
  return { ...result, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] }
}

/** Structured content without `content` is sent twice, as itself and as text, but serialised once. */
function toText(result: object): string {
  const { content: ownContent, structuredContent }: CallToolResult = result
  if (structuredContent === undefined || ownContent !== undefined) return JSON.stringify(result)
  const structured = JSON.stringify(structuredContent) ?? 'null'
  const content = `"content":[{"type":"text","text":${JSON.stringify(structured)}}]`
  const head = `{${content},"structuredContent":${structured}`
  const rest = JSON.stringify({ ...result, content: undefined, structuredContent: undefined })
  return rest === '{}' ? `${head}}` : `${head},${rest.slice(1)}`
}

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
