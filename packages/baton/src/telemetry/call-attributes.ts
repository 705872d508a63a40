import type { Attributes } from '@opentelemetry/api'
import { ERROR_CODES, ProtocolError } from '../protocol/error.ts'
import type { Call } from '../server/call/call.ts'

/** The tool or prompt that a request names. */
function toTarget({ method, params }: Call): string | undefined {
  if (method !== 'tools/call' && method !== 'prompts/get') return undefined
  return typeof params['name'] === 'string' ? params['name'] : undefined
}

/** Attributes that are known when a request starts, by the OpenTelemetry conventions for MCP and JSON-RPC. */
export function toRequestAttributes(call: Call): Attributes {
  const { method, params, requestId, session } = call
  const uri = params['uri']
  return {
    ...toSharedAttributes(call),
    ...toTargetAttributes(call),
    'mcp.method': method,
    'mcp.method.name': method,
    'mcp.request_id': requestId,
    'jsonrpc.request.id': String(requestId),
    'rpc.system': 'jsonrpc',
    'rpc.method': method,
    'rpc.jsonrpc.version': '2.0',
    'rpc.jsonrpc.request_id': String(requestId),
    // Modern requests have no session.
    ...(session !== undefined && { 'mcp.session.id': session.id, 'mcp.session_id': session.id }),
    ...(typeof uri === 'string' && { 'mcp.resource.uri': uri }),
  }
}

/**
 * Attributes of a metric. A client can invent any number of method and tool names, so unknown names are
 * left out to bound the cardinality.
 */
export function toMetricAttributes(call: Call, errorType: string | undefined): Attributes {
  const isUnknownMethod = errorType === String(ERROR_CODES.methodNotFound)
  const mayBeUnknown = isUnknownMethod || errorType === String(ERROR_CODES.invalidParams)
  return {
    ...toSharedAttributes(call),
    'mcp.method.name': isUnknownMethod ? '_OTHER' : call.method,
    ...(mayBeUnknown ? {} : toTargetAttributes(call)),
    ...(errorType !== undefined && { 'error.type': errorType }),
  }
}

function toSharedAttributes(call: Call): Attributes {
  return {
    'mcp.protocol.version': call.envelope.protocolVersion,
    ...(call.transport !== undefined && { 'network.transport': call.transport }),
    ...(call.method === 'tools/call' && { 'gen_ai.operation.name': 'execute_tool' }),
  }
}

function toTargetAttributes(call: Call): Attributes {
  const target = toTarget(call)
  if (target === undefined) return {}
  return { [call.method === 'tools/call' ? 'gen_ai.tool.name' : 'gen_ai.prompt.name']: target }
}

/** How a request ended. */
export interface Outcome {
  readonly attributes: Attributes
  /** Of the span of the tool, if one was called. */
  readonly tool: Attributes
  /** Set if the request failed: the error type and a message that may be exported. */
  readonly error?: { readonly type: string; readonly message: string }
}

/** Describes a result; a tool result with `isError` counts as a failure. */
export function toResultOutcome(call: Call, result: object): Outcome {
  const isError = call.method === 'tools/call' && 'isError' in result && result.isError === true
  const content = 'content' in result && Array.isArray(result.content) ? result.content : []
  return {
    attributes: {},
    tool: toToolAttributes(call, { isSuccess: !isError, contents: content.length }),
    ...(isError && { error: { type: 'tool_error', message: 'the tool reported an error' } }),
  }
}

/** Describes an error; the message is exported only if the client sees it too. */
export function toErrorOutcome(call: Call, error: unknown): Outcome {
  const isPublic = error instanceof ProtocolError
  const code = isPublic ? error.code : ERROR_CODES.internalError
  return {
    attributes: { 'rpc.jsonrpc.error_code': code, 'rpc.response.status_code': String(code) },
    tool: toToolAttributes(call, { isSuccess: false, contents: 0 }),
    error: { type: String(code), message: isPublic ? error.message : 'internal error' },
  }
}

function toToolAttributes(
  call: Call,
  { isSuccess, contents }: { readonly isSuccess: boolean; readonly contents: number },
): Attributes {
  return {
    'mcp.tool.name': toTarget(call) ?? '',
    'mcp.tool.success': isSuccess,
    'mcp.tool.content_count': contents,
  }
}
