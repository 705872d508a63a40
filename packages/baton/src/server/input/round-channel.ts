import { invalidParams } from '../../protocol/error.ts'
import type { InputRequest, InputRequests } from '../../protocol/client-features/input.ts'
import { isJsonObject } from '../../protocol/json-rpc.ts'
import type { JsonObject } from '../../protocol/json-rpc.ts'
import type { Awaitable } from '../call-context.ts'
import { findResponseProblem } from './check-response.ts'
import type { InputChannel } from './input-channel.ts'
import { InputRequired } from './input-required.ts'
import type { RequestStates, RoundMemory, StateCall } from './request-state.ts'

/**
 * Asks a modern client by ending the request: the client sends it again, as a new round, with the responses. The
 * handler then runs again from its start and gets the responses and values of earlier rounds from here.
 */
export class RoundChannel implements InputChannel {
  readonly #responses: JsonObject
  readonly #values: JsonObject
  readonly #fresh: JsonObject

  /** `fresh` are the responses of this round. */
  constructor(memory: RoundMemory = { responses: {}, values: {} }, fresh: JsonObject = {}) {
    this.#responses = { ...memory.responses }
    this.#values = { ...memory.values }
    this.#fresh = fresh
  }

  async request(requests: InputRequests): Promise<JsonObject> {
    const missing: Record<string, InputRequest> = {}
    const answers: JsonObject = {}
    for (const [key, request] of Object.entries(requests)) {
      const answer = this.#find(key, request)
      if (answer === undefined) missing[key] = request
      else answers[key] = answer
    }
    if (Object.keys(missing).length > 0)
      throw new InputRequired(missing, { responses: this.#responses, values: this.#values })
    return answers
  }

  async once(key: string, compute: () => Awaitable<unknown>): Promise<unknown> {
    if (!Object.hasOwn(this.#values, key)) this.#values[key] = await compute()
    return this.#values[key]
  }

  #find(key: string, request: InputRequest): unknown {
    if (Object.hasOwn(this.#responses, key)) return this.#responses[key]
    if (!Object.hasOwn(this.#fresh, key)) return undefined
    const problem = findResponseProblem(request, this.#fresh[key])
    if (problem !== undefined) throw invalidParams(`inputResponses.${key} ${problem}`)
    this.#responses[key] = this.#fresh[key]
    return this.#fresh[key]
  }
}

/** Whether a request is a later round. */
export function isLaterRound(params: JsonObject): boolean {
  return 'inputResponses' in params || 'requestState' in params
}

/** Reads the responses and the state of a later round. */
export async function openRound(states: RequestStates, call: StateCall): Promise<RoundChannel> {
  const { inputResponses = {}, requestState } = call.params
  if (!isJsonObject(inputResponses)) throw invalidParams('inputResponses must be an object')
  if (requestState === undefined) return new RoundChannel(undefined, inputResponses)
  return new RoundChannel(await states.open(requestState, call), inputResponses)
}
