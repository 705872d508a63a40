import type { InputRequest, InputRequests } from '../../protocol/client-features/input.ts'
import type { JsonObject } from '../../protocol/json-rpc.ts'
import type { Awaitable } from '../call-context.ts'
import { findResponseProblem } from './check-response.ts'
import type { InputChannel } from './input-channel.ts'

/** Sends one request to the client and resolves to its result. */
export type SendRequest = (method: string, params: object | undefined) => Promise<unknown>

/** Asks a legacy client with JSON-RPC requests, while the handler waits. */
export class DirectChannel implements InputChannel {
  readonly #send: SendRequest

  constructor(send: SendRequest) {
    this.#send = send
  }

  async request(requests: InputRequests): Promise<JsonObject> {
    const answers = Object.entries(requests).map(
      async ([key, request]) => [key, await this.#ask(request)] as const,
    )
    return Object.fromEntries(await Promise.all(answers))
  }

  async once(_key: string, compute: () => Awaitable<unknown>): Promise<unknown> {
    return await compute()
  }

  async #ask(request: InputRequest): Promise<unknown> {
    const response = await this.#send(request.method, toLegacyParams(request))
    const problem = findResponseProblem(request, response)
    if (problem !== undefined) throw new Error(`the client's response ${problem}`)
    return response
  }
}

// Legacy clients identify a page visit by an id that the server creates.
function toLegacyParams({ method, params }: InputRequest): object | undefined {
  if (method !== 'elicitation/create' || params.mode !== 'url') return params
  return { ...params, elicitationId: crypto.randomUUID() }
}
