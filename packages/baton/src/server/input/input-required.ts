import type { InputRequests } from '../../protocol/input.ts'
import type { RequestStates, RoundMemory, StateCall } from './request-state.ts'

/**
 * Thrown through a handler when a modern client must be asked first: the request ends here, and the
 * client sends it again with the answers. A handler that catches everything must let this pass.
 */
export class InputRequired extends Error {
  readonly requests: InputRequests
  readonly memory: RoundMemory

  constructor(requests: InputRequests, memory: RoundMemory) {
    super('the client must be asked first')
    this.name = 'InputRequired'
    this.requests = requests
    this.memory = memory
  }
}

/** The result that asks the client; it carries a state if there is anything to remember. */
export async function toInputRequiredResult(
  { requests: inputRequests, memory }: InputRequired,
  states: RequestStates,
  call: StateCall,
): Promise<object> {
  const isEmpty = [memory.responses, memory.values].every((part) => Object.keys(part).length === 0)
  const requestState = isEmpty ? undefined : await states.seal(memory, call)
  return { resultType: 'input_required', inputRequests, requestState }
}
