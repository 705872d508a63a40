import type { CallToolResult } from '@waymark/baton'
import type { ToolAnswer } from '../../dialects/dialect.ts'
import { printForAgent } from '../../core/show.ts'
import { toTime } from '../../support/text/moment.ts'
import { toVisibleData } from '../../support/text/visible-text.ts'
import { type Notice, showNotice } from '../../core/notice.ts'

/** The result of a call: its data, and the same in words where the tool has words for it. */
export function toResult({ result, text }: ToolAnswer): CallToolResult {
  if (typeof result === 'string') return { content: [{ type: 'text', text: result }] }
  if (text === undefined) return { structuredContent: result }
  return { content: [{ type: 'text', text: printForAgent(text) }], structuredContent: result }
}

/** The notices stand before the text of the answer, and beside its data. */
export function withNotices(result: CallToolResult, notices: readonly Notice[]): CallToolResult {
  if (notices.length === 0) return result
  const told = printForAgent(notices.map(showNotice))
  const leases = notices.filter((notice) => 'taskId' in notice)
  const others = notices.filter((notice) => !('taskId' in notice))
  const lost = leases.map(({ number, fence, at, by, reason }) => ({
    task: number,
    fence,
    ...(by !== null && { by }),
    ...(reason !== null && { reason }),
    at: toTime(at),
  }))
  const { structuredContent: data } = result
  const [first, ...rest] = result.content ?? []
  const text = first?.type === 'text' ? { ...first, text: `${told}\n${first.text}` } : first
  return {
    ...result,
    ...(text !== undefined && { content: [text, ...rest] }),
    ...(typeof data === 'object' && {
      structuredContent: {
        ...data,
        ...(lost.length > 0 && { lease_lost: lost }),
        // Hosts may show their model the data alone.
        ...(others.length > 0 && {
          notices: others.map((one) => printForAgent([showNotice(one)])),
        }),
      },
    }),
  }
}

/**
 * The result as it is sent. Hosts show models the text, the data or both, so nothing may hide in either; the store keeps
 * every byte. Model providers refuse an empty text.
 */
export function toSent(
  { content, structuredContent, ...rest }: CallToolResult,
  { textAlone }: { readonly textAlone: boolean },
): CallToolResult {
  const blocks = content?.filter((block) => block.type !== 'text' || block.text !== '') ?? []
  if (textAlone && blocks.length > 0) return { ...rest, content: blocks }
  const data = toVisibleData(structuredContent)
  if (textAlone) return { ...rest, content: [{ type: 'text', text: JSON.stringify(data ?? {}) }] }
  return {
    ...rest,
    // Without it, the data is sent as text too.
    ...(blocks.length > 0 && { content: blocks }),
    ...(data !== undefined && { structuredContent: data }),
  }
}
