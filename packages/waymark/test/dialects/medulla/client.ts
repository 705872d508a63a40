import { connectInMemory, type MemoryClient } from '@waymark/baton'
import { loadConfig } from '../../../src/core/project/config.ts'
import type { ContextOptions } from '../../../src/core/context.ts'
import { loadDialects } from '../../../src/dialects/load-dialects.ts'
import { SILENT } from '../../../src/support/logger.ts'
import { createMcpServer } from '../../../src/surfaces/mcp/mcp.ts'
import { type Setup, setup } from '../../setup.ts'

export type Fields = Record<string, unknown>

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data: Fields
}

export interface MedullaClient extends AsyncDisposable {
  readonly project: Setup
  readonly client: MemoryClient
  request(method: string, params?: Fields): Promise<{ result?: Fields; error?: RpcError }>
  /** What a list method answers: the items of this member. */
  list(method: string, member: string): Promise<readonly Fields[]>
  /** What a tool answers; fails on an error. */
  call(name: string, args?: Fields): Promise<Fields>
  /** The error that a tool answers with; fails on success. */
  refusal(name: string, args?: Fields): Promise<RpcError>
  /** What stands at an address, parsed. */
  read(uri: string): Promise<Fields>
  readRefusal(uri: string): Promise<RpcError>
}

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
}

/** A client that speaks to the medulla dialect in memory, with the same checks as on the wire. */
export async function connectMedulla(
  options: {
    readonly env?: Readonly<Record<string, string>>
    readonly context?: Partial<ContextOptions>
    readonly project?: Setup
  } = {},
): Promise<MedullaClient> {
  const project = options.project ?? (await setup())
  const server = createMcpServer({
    dialects: await loadDialects('medulla'),
    store: project.context.store,
    config: loadConfig(undefined, options.env ?? {}),
    logger: SILENT,
    project: { root: project.directory },
    now: () => project.context.now(),
    ...options.context,
  })
  const client = connectInMemory(server)
  const request: MedullaClient['request'] = async (method, params = {}) =>
    (await client.request(method, params)) as { result?: Fields; error?: RpcError }
  await request('initialize', INITIALIZE)
  client.notify('notifications/initialized', {})
  const callTool = (name: string, args: Fields = {}) =>
    request('tools/call', { name, arguments: args })
  const read = (uri: string) => request('resources/read', { uri })
  return {
    project,
    client,
    request,
    list: async (method, member) => succeeded(await request(method))[member] as Fields[],
    call: async (name, args) =>
      succeeded(await callTool(name, args))['structuredContent'] as Fields,
    refusal: async (name, args) => failed(await callTool(name, args)),
    read: async (uri) => {
      const { contents } = succeeded(await read(uri)) as { contents: { text: string }[] }
      return JSON.parse(contents[0]?.text ?? 'null') as Fields
    },
    readRefusal: async (uri) => failed(await read(uri)),
    [Symbol.asyncDispose]: async () => {
      client.close()
      if (options.project === undefined) await project[Symbol.asyncDispose]()
    },
  }
}

function succeeded({ result, error }: { result?: Fields; error?: RpcError }): Fields {
  if (result === undefined) throw new Error(`refused: ${JSON.stringify(error)}`)
  return result
}

function failed({ result, error }: { result?: Fields; error?: RpcError }): RpcError {
  if (error === undefined) throw new Error(`not refused: ${JSON.stringify(result)}`)
  return error
}
