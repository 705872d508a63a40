import type { CallToolResult } from '../../protocol/server-features/tool.ts'

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
