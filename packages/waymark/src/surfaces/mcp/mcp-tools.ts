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
import { type Notice, showNotice } from '../../core/notice.ts'
import { printForAgent } from '../../core/show.ts'
import { toTime } from '../../support/text/moment.ts'
import { toVisibleData } from '../../support/text/visible-text.ts'
import { takeIdempotencyKey } from '../caller.ts'
import { findHost } from './client-host.ts'
import { inStep } from './in-step.ts'
import { showsApps } from './mcp-apps.ts'
import { type McpOptions, serveCall, toProtocolError } from './mcp-call.ts'
import { createPrefetch, type Prefetch } from './prefetch.ts'

type DialectToolEntry = DialectTool & { readonly dialect: Dialect }

/** Serves operations as the tools of the dialects. */
export function createTools(options: McpOptions): ServerHandler {
  const listed = options.dialects
    .flatMap((dialect) => dialect.listed)
    .map((tool) =>
      options.toolNames === 'underscore' ? { ...tool, name: toUnderscoreName(tool.name) } : tool,
    )
  const withApps = [...listed, ...options.dialects.flatMap(({ apps }) => apps?.listed ?? [])]
  const findTool = createToolFinder(options.dialects)
  // Until the first call of a tool.
  let prefetch: Prefetch | undefined = createPrefetch(options, findTool)
  return {
    listTools: (call) => {
      prefetch?.expectCall()
      return showsApps(call) ? withApps : listed
    },
    callTool: async (name, args, call) => {
      prefetch?.cancel()
      prefetch = undefined
      options.onCall?.()
      const tool = await findTool(name)
      if (tool === undefined || (tool.toolset === 'apps' && !showsApps(call)))
        throw invalidParams(`Unknown tool: ${name.slice(0, 100)}`)
      const host = findHost(call.client)
      const textAlone = tool.dialect.isReadAsText === true && host !== undefined
      const own = withoutParameters(args, host?.ownParameters)
      return toSent(await answerCall(options, tool, own, call), { textAlone })
    },
  }
}

/** The arguments without those that the host has added for itself. */
function withoutParameters(args: Fields, added: readonly string[] = []): Fields {
  if (!added.some((name) => name in args)) return args
  return Object.fromEntries(Object.entries(args).filter(([name]) => !added.includes(name)))
}

async function answerCall(
  options: McpOptions,
  tool: DialectToolEntry,
  args: Fields,
  call: CallContext,
): Promise<CallToolResult> {
  const requestId = crypto.randomUUID()
  const notices: Notice[] = []
  try {
    const result = await callTool(options, tool, { args, requestId, notices }, call)
    return withNotices(result, notices)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const isTold = (notice: Notice) =>
      'taskId' in notice && error.code === 'lease_lost' && error.details['id'] === notice.taskId
    const untold = notices.filter((notice) => !isTold(notice))
    return withNotices(toErrorResult(tool, error, { call, requestId }), untold)
  }
}

interface ToolCall {
  readonly args: Fields
  readonly requestId: string
  /** Collects what the caller is told beside the answer. */
  readonly notices: Notice[]
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
      const { ignoresUnknownProperties, loadSync } = tool.dialect
      const own =
        ignoresUnknownProperties === true ? { ...context, ignoresUnknownProperties } : context
      const work = () => execute(own, operation, input)
      const output =
        loadSync === undefined ? await work() : await inStep(loadSync, own, operation, work)
      return toResult(toAnswer(output))
    },
  })
}

/** The result of a call: its data, and the same in words where the tool has words for it. */
function toResult({ result, text }: ToolAnswer): CallToolResult {
  if (typeof result === 'string') return { content: [{ type: 'text', text: result }] }
  if (text === undefined) return { structuredContent: result }
  return { content: [{ type: 'text', text: printForAgent(text) }], structuredContent: result }
}

/** The notices stand before the text of the answer, and beside its data. */
function withNotices(result: CallToolResult, notices: readonly Notice[]): CallToolResult {
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
function toSent(
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

/**
 * Finds tools by either spelling of their names. Loads only what the tool needs: the first call of a session waits for
 * nothing else.
 */
function createToolFinder(
  dialects: readonly Dialect[],
): (name: string) => Promise<DialectToolEntry | undefined> {
  const known = new Map<string, DialectToolEntry>()
  return async (name) => {
    const found = known.get(name)
    if (found !== undefined) return found
    const loaded = await Promise.all(dialects.map((dialect) => entriesOf(dialect, name)))
    const tools = loaded.flat()
    // Their own names are unique; in the other spelling, one may have the name of a tool that is not loaded yet.
    for (const tool of tools) known.set(tool.listed.name, tool)
    const called = byName(tools).get(name)
    if (called !== undefined) known.set(name, called)
    return called
  }
}

/** All tools of the dialects with those that open a view, in both spellings of their names. */
export async function toolsByName(
  dialects: readonly Dialect[],
): Promise<ReadonlyMap<string, DialectToolEntry>> {
  return byName((await Promise.all(dialects.map((dialect) => entriesOf(dialect)))).flat())
}

async function entriesOf(dialect: Dialect, name?: string): Promise<readonly DialectToolEntry[]> {
  const { apps } = dialect
  const hasView = name === undefined || apps?.listed.some((tool) => tool.name === name) === true
  const views = hasView ? ((await apps?.loadTools()) ?? []) : []
  return [...(await dialect.loadTools(name)), ...views].map((tool) => ({ ...tool, dialect }))
}

function byName(tools: readonly DialectToolEntry[]): ReadonlyMap<string, DialectToolEntry> {
  return new Map([
    ...tools.map((tool) => [toUnderscoreName(tool.listed.name), tool] as const),
    ...tools.map((tool) => [tool.listed.name, tool] as const),
  ])
}
