import type { CallToolResult } from '../../protocol/tool.ts'

/** Clients need `content` even when there is nothing to say. */
export function toToolResult(result: CallToolResult): CallToolResult {
  if (result.content !== undefined || result.structuredContent !== undefined) return result
  return { ...result, content: [] }
}

/** A failed tool is a result, so that the model can read why; where it failed is nobody's business. */
export function toErrorResult(error: unknown): CallToolResult {
  const text = error instanceof Error && error.message !== '' ? error.message : 'the tool failed'
  return { content: [{ type: 'text', text }], isError: true }
}
