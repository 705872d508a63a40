import type { InputRequests } from '../../protocol/client-features/input.ts'
import type { JsonObject } from '../../protocol/json-rpc.ts'
import type { Awaitable } from '../call-context.ts'

/** How a call gets input from its client; depends on the era and on whether the call became a task. */
export interface InputChannel {
  /** Resolves to a validated response for each request, under the same keys. */
  request(requests: InputRequests): Promise<JsonObject>
  /** Computes a value unless an earlier run of the same request has. */
  once(key: string, compute: () => Awaitable<unknown>): Promise<unknown>
}
