import type { ClientCapabilities } from '../protocol/capability.ts'
import type { InputRequest, InputRequests } from '../protocol/client-features/input.ts'
import { ERROR_CODES, ProtocolError } from '../protocol/error.ts'
import { isJsonObject } from '../protocol/json-rpc.ts'
import type { JsonObject } from '../protocol/json-rpc.ts'
import { META_KEYS } from '../protocol/meta.ts'
import type { GetPromptResult } from '../protocol/server-features/prompt.ts'
import type { ReadResourceResult } from '../protocol/server-features/resource.ts'
import type { CallToolResult, Tool } from '../protocol/server-features/tool.ts'
import { MODERN_VERSIONS, NEWEST_LEGACY_VERSION } from '../protocol/version.ts'
import type { Era } from '../protocol/version.ts'
import type { Awaitable, Principal } from '../server/call-context.ts'
import type { Server } from '../server/server.ts'
import { connectInMemory } from './memory.ts'

/** Options of a test client. */
export interface TestClientOptions {
  /** The protocol era; modern by default. */
  readonly era?: Era
  /** Responds to elicitation, sampling and roots requests, for example `() => ({ action: 'decline' })`. */
  readonly answer?: (request: InputRequest) => Awaitable<object>
  /** The declared capabilities; those for input requests by default if there is `answer`. */
  readonly capabilities?: ClientCapabilities
  readonly principal?: Principal
}

/** A client in the same process whose methods resolve to results and reject with a `ProtocolError`. */
export interface TestClient {
  /** All messages from the server, oldest first. */
  readonly received: readonly JsonObject[]
  listTools(): Promise<readonly Tool[]>
  callTool(name: string, args?: object): Promise<CallToolResult>
  readResource(uri: string): Promise<ReadResourceResult>
  getPrompt(name: string, args?: Readonly<Record<string, string>>): Promise<GetPromptResult>
  /** Sends any request and resolves to its result. */
  request(method: string, params?: object): Promise<JsonObject>
  close(): void
}

const INPUT_CAPABILITIES: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
}
const CLIENT_INFO = { name: 'baton-test-client', version: '1' }

/**
 * Connects a client for tests to a server.
 * @example
 * const client = createTestClient(server)
 * expect(await client.callTool('greet', { name: 'world' })).toMatchObject({ structuredContent: { greeting: 'Hello' } })
 */
export function createTestClient(server: Server, options: TestClientOptions = {}): TestClient {
  const { era = 'modern', answer, principal } = options
  const capabilities = options.capabilities ?? (answer === undefined ? {} : INPUT_CAPABILITIES)
  const client = connectInMemory(server, principal && { principal })
  const meta = {
    [META_KEYS.protocolVersion]: MODERN_VERSIONS[0],
    [META_KEYS.clientCapabilities]: capabilities,
    [META_KEYS.clientInfo]: CLIENT_INFO,
  }

  async function send(method: string, params: object): Promise<JsonObject> {
    const _meta = era === 'modern' ? { _meta: meta } : {}
    const { result, error } = await client.request(method, { ..._meta, ...params })
    if (isJsonObject(result)) return result
    const { code, message, data } = isJsonObject(error) ? error : {}
    throw new ProtocolError(Number(code ?? ERROR_CODES.internalError), String(message), data)
  }

  /** A modern server asks for input by its result; the request is then sent again with the responses. */
  async function request(method: string, params: object = {}): Promise<JsonObject> {
    let result = await send(method, params)
    while (result['resultType'] === 'input_required' && answer !== undefined) {
      const { inputRequests, requestState } = result
      const inputResponses = await answerAll(inputRequests as InputRequests, answer)
      const state = requestState === undefined ? {} : { requestState }
      result = await send(method, { ...params, inputResponses, ...state })
    }
    return result
  }

  if (era === 'legacy') {
    // In one tick: the server handles `initialize` synchronously, so the next message finds a session.
    const params = {
      protocolVersion: NEWEST_LEGACY_VERSION,
      capabilities,
      clientInfo: CLIENT_INFO,
    }
    client.send({ jsonrpc: '2.0', id: 'initialize', method: 'initialize', params })
    client.notify('notifications/initialized')
    if (answer !== undefined) void answerRequests(client, answer)
  }

  // Results of the server's own types: they are serialised values of them.
  return {
    received: client.received,
    request,
    listTools: async () => (await request('tools/list'))['tools'] as readonly Tool[],
    callTool: (name, args = {}) => request('tools/call', { name, arguments: args }),
    readResource: (uri) =>
      request('resources/read', { uri }) as Promise<JsonObject & ReadResourceResult>,
    getPrompt: (name, args = {}) =>
      request('prompts/get', { name, arguments: args }) as Promise<JsonObject & GetPromptResult>,
    close: () => client.close(),
  }
}

type Answer = NonNullable<TestClientOptions['answer']>

async function answerAll(requests: InputRequests, answer: Answer): Promise<JsonObject> {
  const responses: JsonObject = {}
  for (const [key, request] of Object.entries(requests)) responses[key] = await answer(request)
  return responses
}

/** A legacy server asks for input by requests; those are answered as long as the client is connected. */
async function answerRequests(
  client: ReturnType<typeof connectInMemory>,
  answer: Answer,
): Promise<void> {
  const answered = new Set<unknown>()
  for (;;) {
    const { id, ...request } = await client.next(
      (message) => 'method' in message && 'id' in message && !answered.has(message['id']),
    )
    answered.add(id)
    try {
      const result = await answer(request as unknown as InputRequest)
      client.send({ jsonrpc: '2.0', id, result })
    } catch (cause) {
      const error = { code: ERROR_CODES.internalError, message: String(cause) }
      client.send({ jsonrpc: '2.0', id, error })
    }
  }
}
