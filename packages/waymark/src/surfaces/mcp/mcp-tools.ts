import {
  type CallContext,
  type CallToolResult,
  invalidParams,
  type ServerHandler,
} from '@waymark/baton'
import type { Dialect, DialectTool, Fields, ToolAnswer } from '../../dialects/dialect.ts'
import { toUnderscoreName } from '../../dialects/to-underscore-name.ts'
import { Failure, toFailureReport } from '../../core/error.ts'
import { execute } from '../../core/execute.ts'
import { showNotice } from '../../task/lease/notices.ts'
import type { LeaseNotice } from '../../task/lease/notices.ts'
import { toTime } from '../../support/text/moment.ts'
import { once } from '../../support/once.ts'
import { toVisible, toVisibleJson } from '../../support/text/visible-text.ts'
import { takeIdempotencyKey } from '../caller.ts'
import { printForAgent } from '../../core/show.ts'
import { inStep } from './in-step.ts'
import { type McpOptions, serveCall, toProtocolError } from './mcp-call.ts'

type DialectToolEntry = DialectTool & { readonly dialect: Dialect }

/** Serves operations as the tools of the dialects. */
export function createTools(options: McpOptions): ServerHandler {
  const listed = options.dialects
    .flatMap((dialect) => dialect.listed)
    .map((tool) =>
      options.toolNames === 'underscore' ? { ...tool, name: toUnderscoreName(tool.name) } : tool,
    )
  const loadTools = once(() => toolsByName(options.dialects))
  return {
    listTools: () => listed,
    callTool: async (name, args, call) => {
      const tool = (await loadTools()).get(name)
      if (tool === undefined) throw invalidParams(`Unknown tool: ${name.slice(0, 100)}`)
      const requestId = crypto.randomUUID()
      const notices: LeaseNotice[] = []
      try {
        const result = await callTool(options, tool, { args, requestId, notices }, call)
        return withNotices(result, notices)
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        const isTold = ({ taskId }: LeaseNotice) =>
          error.code === 'lease_lost' && error.details['id'] === taskId
        const untold = notices.filter((notice) => !isTold(notice))
        return withNotices(toErrorResult(tool, error, { call, requestId }), untold)
      }
    },
  }
}

interface ToolCall {
  readonly args: Fields
  readonly requestId: string
  /** Collects what the caller is told beside the answer. */
  readonly notices: LeaseNotice[]
}

async function callTool(
  options: McpOptions,
  tool: DialectToolEntry,
  { args: given, requestId, notices }: ToolCall,
  call: CallContext,
): Promise<CallToolResult> {
  const { idempotencyKey, rest: args } = takeIdempotencyKey(given, call)
  return await serveCall(options, call, {
    subject: { tool: tool.listed.name },
    body: args,
    ...(tool.dialect.toErrorResult !== undefined && { requestId }),
    idempotencyKey,
    project: tool.toProject?.(args),
    ...(tool.dialect.tellsLostLeases === true && { tell: (notice) => void notices.push(notice) }),
    run: async (context) => {
      const { operation, input, toAnswer } = tool.toCall(args)
      const { ignoresUnknownProperties } = tool.dialect
      const own =
        ignoresUnknownProperties === true ? { ...context, ignoresUnknownProperties } : context
      const output = await inStep(tool.dialect, own, operation, () =>
        execute(own, operation, input),
      )
      const { result, text } = toAnswer(output)
      if (typeof result === 'string') return { content: [{ type: 'text', text: result }] }
      // The text has hidden characters escaped for models that read only it; `structuredContent` is byte-exact.
      return { content: [{ type: 'text', text: toText(result, text) }], structuredContent: result }
    },
  })
}

/** The notices stand before the text of the answer, and beside its data. */
function withNotices(result: CallToolResult, notices: readonly LeaseNotice[]): CallToolResult {
  if (notices.length === 0) return result
  const told = printForAgent(notices.map(showNotice))
  const lost = notices.map(({ number, fence, at, by, reason }) => ({
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
    ...(typeof data === 'object' && { structuredContent: { ...data, lease_lost: lost } }),
  }
}

function toText(result: unknown, text: ToolAnswer['text']): string {
  if (text === undefined) return toVisibleJson(result)
  return typeof text === 'string' ? toVisible(text) : printForAgent(text)
}

/** Where a dialect's spec names a JSON-RPC code, legacy clients get it; modern ones get a result that they can read. */
function toErrorResult(
  { dialect, listed }: DialectToolEntry,
  failure: Failure,
  { call, requestId }: { readonly call: CallContext; readonly requestId: string },
): CallToolResult {
  if (dialect.toErrorResult !== undefined) {
    return dialect.toErrorResult(failure, { tool: listed.name, requestId })
  }
  const coded = dialect.toErrorCode?.(failure, listed.name)
  if (coded !== undefined && call.era === 'legacy') throw toProtocolError(failure, coded, call)
  const seed = coded === undefined ? {} : { seed: { code: coded.code, ...coded.data } }
  const text = dialect.explain?.(failure)
  return {
    isError: true,
    ...(text !== undefined && { content: [{ type: 'text', text }] }),
    structuredContent: { error: { ...toFailureReport(failure), ...seed } },
  }
}

/** The tools of the dialects, in both spellings of their names. */
export async function toolsByName(
  dialects: readonly Dialect[],
): Promise<ReadonlyMap<string, DialectToolEntry>> {
  const loaded = await Promise.all(
    dialects.map(async (dialect) =>
      (await dialect.loadTools()).map((tool): DialectToolEntry => ({ ...tool, dialect })),
    ),
  )
  const tools = loaded.flat()
  return new Map([
    ...tools.map((tool) => [toUnderscoreName(tool.listed.name), tool] as const),
    ...tools.map((tool) => [tool.listed.name, tool] as const),
  ])
}
