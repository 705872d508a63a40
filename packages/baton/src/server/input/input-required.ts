import type { InputRequests } from '../../protocol/client-features/input.ts'
import type { RequestStates, RoundMemory, StateCall } from './request-state.ts'

/**
 * Thrown through a handler when it needs input from a modern client: the request ends here, and the
 * client sends it again with the responses. A handler that catches all errors must rethrow this one.
 */
export class InputRequired extends Error {
  readonly requests: InputRequests
  readonly memory: RoundMemory

  constructor(requests: InputRequests, memory: RoundMemory) {
    super('the handler needs input from the client')
    this.name = 'InputRequired'
    this.requests = requests
    this.memory = memory
  }
}

/** The result that asks the client; it has a request state if there is anything to remember. */
export async function toInputRequiredResult(
  { requests: inputRequests, memory }: InputRequired,
  states: RequestStates,
  call: StateCall,
): Promise<object> {
  const isEmpty = [memory.responses, memory.values].every((part) => Object.keys(part).length === 0)
  const requestState = isEmpty ? undefined : await states.seal(memory, call)
  return { resultType: 'input_required', inputRequests, requestState }
}
