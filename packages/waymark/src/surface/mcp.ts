import {
  type CallContext,
  type CallToolResult,
  createServer,
  ProtocolError,
  type Server,
} from '@waymark/baton'
import type { Config } from '../config.ts'
import { type Access, createContext, type ProjectInfo } from '../context.ts'
import type { Dialect, DialectTool } from '../dialects/dialect.ts'
import { Failure, toFailureReport } from '../error.ts'
import { execute } from '../execute.ts'
import type { Logger } from '../logger.ts'
import { once } from '../once.ts'
import type { Store } from '../store/store.ts'

export interface McpOptions {
  readonly dialects: readonly [Dialect, ...Dialect[]]
  readonly store: Store
  readonly project?: ProjectInfo
  readonly config: Config
  readonly logger: Logger
  readonly access?: Access
  readonly strictProtocol?: boolean
}

type Owned = DialectTool & { readonly dialect: Dialect }

/** Spells operations as the tools of one or more dialects. */
export function createMcpServer(options: McpOptions): Server {
  const [main] = options.dialects
  const listed = options.dialects.flatMap((dialect) => dialect.listed)
  const loadTools = once(() => toolsByName(options.dialects))
  return createServer({
    ...main.server,
    limits: { requestMs: options.config.requestTimeoutMs },
    ...(options.strictProtocol === true &&
      main.strictVersions !== undefined && { strictVersions: main.strictVersions }),
    handler: {
      listTools: () => listed,
      callTool: async (name, args, call) => {
        const tool = (await loadTools()).get(name)
        if (tool === undefined) throw new ProtocolError(-32602, `Unknown tool: ${name}`)
        return await callTool(options, tool, args, call)
      },
    },
  })
}

async function callTool(
  options: McpOptions,
  tool: Owned,
  args: Readonly<Record<string, unknown>>,
  call: CallContext,
): Promise<CallToolResult> {
  const { name } = tool.listed
  const logger = options.logger.with({ id: call.requestId, method: call.method, tool: name })
  const context = createContext({
    store: options.store,
    agent: { name: options.config.actor ?? call.client?.name ?? null, surface: 'mcp' },
    logger,
    signal: call.signal,
    ...(options.project !== undefined && { project: options.project }),
    ...(options.access !== undefined && { access: options.access }),
  })
  const started = performance.now()
  logger.info('started')
  try {
    const output = await execute(context, tool.operation, tool.toInput(args))
    logger.info('completed', { duration_ms: Math.round(performance.now() - started) })
    return { structuredContent: tool.toResult(output) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    logger.warn('refused', { code: error.code, message: error.message })
    return toErrorResult(tool, error, call)
  }
}

/** Where a dialect's seed names a JSON-RPC code, legacy clients get it; the modern revision reserves those numbers. */
function toErrorResult(
  { dialect, listed }: Owned,
  failure: Failure,
  { era }: CallContext,
): CallToolResult {
  const coded = dialect.toErrorCode?.(failure, listed.name)
  if (coded !== undefined && era === 'legacy')
    throw new ProtocolError(coded.code, coded.message, coded.data)
  const seed = coded === undefined ? {} : { seed: { code: coded.code, ...coded.data } }
  return { isError: true, structuredContent: { error: { ...toFailureReport(failure), ...seed } } }
}

async function toolsByName(dialects: readonly Dialect[]): Promise<ReadonlyMap<string, Owned>> {
  const loaded = await Promise.all(
    dialects.map(async (dialect) =>
      (await dialect.loadTools()).map((tool): Owned => ({ ...tool, dialect })),
    ),
  )
  return new Map(loaded.flat().map((tool) => [tool.listed.name, tool]))
}
