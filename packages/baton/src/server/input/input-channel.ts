import type { InputRequests } from '../../protocol/input.ts'
import type { JsonObject } from '../../protocol/json-rpc.ts'
import type { Awaitable } from '../call-context.ts'

/** One way of getting answers from a client; which one depends on its era and on how far the call is. */
export interface InputChannel {
  /** Gets an answer to each request, checked, under the same names. */
  request(requests: InputRequests): Promise<JsonObject>
  /** Computes a value unless an earlier run of the same request has done so. */
  once(key: string, compute: () => Awaitable<unknown>): Promise<unknown>
}
