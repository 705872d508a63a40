import type { CallToolResult } from '@waymark/baton'
import type { Failure } from '../../core/error.ts'

/** The spec's errors are plain sentences. */
export function toErrorResult({ code, message, details }: Failure): CallToolResult {
  const isMissing = code === 'invalid_input' && details.rule === 'required'
  const text = isMissing ? `Missing required argument: ${String(details['field'])}` : message
  return { content: [{ type: 'text', text }], isError: true }
}
