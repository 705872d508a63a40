import type { ClientCapabilities } from '../../protocol/capability.ts'
import type {
  InputRequest,
  InputRequests,
  InputResponse,
} from '../../protocol/client-features/input.ts'
import type { JsonObject } from '../../protocol/json-rpc.ts'
import type { InputChannel } from './input-channel.ts'
import { requireInputCapability } from './require-capability.ts'

/** The input requests of one call. */
export class CallInput {
  readonly #capabilities: ClientCapabilities
  readonly #countsByMethod = new Map<string, number>()

  constructor(capabilities: ClientCapabilities) {
    this.#capabilities = capabilities
  }

  /** Sends one request; without a key it is named by its method and a counter. */
  async ask<Request extends InputRequest>(
    channel: InputChannel,
    request: Request,
    key: string = this.#nextKey(request.method),
  ): Promise<InputResponse<Request>> {
    const responses = await this.askAll(channel, { [key]: request })
    return responses[key] as InputResponse<Request>
  }

  /** Sends several requests at once. */
  async askAll(channel: InputChannel, requests: InputRequests): Promise<JsonObject> {
    for (const request of Object.values(requests)) {
      requireInputCapability(request, this.#capabilities)
    }
    return await channel.request(requests)
  }

  #nextKey(method: InputRequest['method']): string {
    const count = (this.#countsByMethod.get(method) ?? 0) + 1
    this.#countsByMethod.set(method, count)
    return `${method}#${count}`
  }
}
