import type { ClientCapabilities } from '../../protocol/capability.ts'
import type { InputRequest, InputRequests, InputResponse } from '../../protocol/input.ts'
import type { JsonObject } from '../../protocol/json-rpc.ts'
import type { InputChannel } from './input-channel.ts'
import { requireInputCapability } from './require-capability.ts'

/** The questions that one call puts to its client. */
export class CallInput {
  readonly #capabilities: ClientCapabilities
  readonly #countsByMethod = new Map<string, number>()

  constructor(capabilities: ClientCapabilities) {
    this.#capabilities = capabilities
  }

  /** Asks one question; without a key it is named by its kind and how many came before it. */
  async ask<Request extends InputRequest>(
    channel: InputChannel,
    request: Request,
    key: string = this.#nextKey(request.method),
  ): Promise<InputResponse<Request>> {
    const responses = await this.askAll(channel, { [key]: request })
    return responses[key] as InputResponse<Request>
  }

  /** Asks several questions at once. */
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
