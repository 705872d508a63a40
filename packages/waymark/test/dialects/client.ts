import { connectInMemory, type MemoryClient } from '@waymark/baton'
import { loadConfig } from '../../src/core/project/config.ts'
import type { ContextOptions } from '../../src/core/context.ts'
import { loadDialects } from '../../src/dialects/load-dialects.ts'
import { createLogger } from '../../src/support/logger.ts'
import { createMcpServer, type McpOptions } from '../../src/surfaces/mcp/mcp.ts'
import { type Setup, setup } from '../setup.ts'

export type Fields = Record<string, unknown>

interface Result {
  readonly isError?: boolean
  readonly content: readonly { readonly text: string }[]
  readonly structuredContent: Fields
}

export interface DialectClient extends AsyncDisposable {
  readonly project: Setup
  readonly client: MemoryClient
  /** Lines that the server has logged. */
  readonly log: readonly string[]
  request(method: string, params?: Fields): Promise<{ result?: Fields; error?: Fields }>
  /** The whole result of a tool. */
  result(name: string, args?: Fields, meta?: Fields): Promise<Result>
  /** What a tool answers; fails on an error. */
  call(name: string, args?: Fields): Promise<Fields>
  /** The error that a tool answers with; fails on success. */
  refusal(name: string, args?: Fields): Promise<Fields>
}

export interface ConnectOptions {
  readonly project?: Setup
  readonly env?: Readonly<Record<string, string>>
  readonly server?: Partial<McpOptions>
  readonly context?: Partial<ContextOptions>
  /** The host that connects, as it describes itself. */
  readonly clientInfo?: Fields
  readonly capabilities?: Fields
}

/** A client that speaks to a dialect in memory, with the same checks as on the wire. */
export async function connect(
  dialect: string,
  options: ConnectOptions = {},
): Promise<DialectClient> {
  const project = options.project ?? (await setup())
  const log: string[] = []
  const server = createMcpServer({
    dialects: await loadDialects(dialect),
    store: project.context.store,
    project: { root: project.directory, state: `${project.directory}/.git/waymark` },
    config: loadConfig(undefined, options.env ?? {}),
    logger: createLogger({ level: 'debug', target: 'test', write: (line) => log.push(line) }),
    now: () => project.context.now(),
    ...options.server,
  })
  const client = connectInMemory(server)
  const request = async (method: string, params: Fields = {}) =>
    (await client.request(method, params)) as { result?: Fields; error?: Fields }
  await request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: options.capabilities ?? {},
    clientInfo: options.clientInfo ?? { name: 'test', version: '1' },
  })
  client.notify('notifications/initialized')
  const result: DialectClient['result'] = async (name, args = {}, meta) => {
    const params = { name, arguments: args, ...(meta !== undefined && { _meta: meta }) }
    const answer = await request('tools/call', params)
    if (answer.result === undefined) throw new Error(JSON.stringify(answer.error))
    return answer.result as unknown as Result
  }
  return {
    project,
    client,
    log,
    request,
    result,
    async call(name, args) {
      const { isError, structuredContent, content } = await result(name, args)
      if (isError === true) throw new Error(content[0]?.text)
      return structuredContent
    },
    async refusal(name, args) {
      const { isError, structuredContent } = await result(name, args)
      if (isError !== true) throw new Error(`${name} was not refused`)
      return structuredContent
    },
    async [Symbol.asyncDispose]() {
      client.close()
      if (options.project === undefined) await project[Symbol.asyncDispose]()
    },
  }
}
