import type { ClientCapabilities } from '../../protocol/capability.ts'
import { ERROR_CODES, ProtocolError } from '../../protocol/error.ts'
import type { InputRequest } from '../../protocol/client-features/input.ts'
import { TASKS_EXTENSION } from '../../protocol/task.ts'

/** Throws if the client did not declare the capability that an input request needs. */
export function requireInputCapability(
  request: InputRequest,
  capabilities: ClientCapabilities,
): void {
  switch (request.method) {
    case 'elicitation/create':
      if (request.params.mode === 'url') {
        requireCapability(capabilities.elicitation?.url, { elicitation: { url: {} } })
      } else {
        requireCapability(capabilities.elicitation, { elicitation: {} })
      }
      break
    case 'sampling/createMessage':
      requireCapability(capabilities.sampling, { sampling: {} })
      if (request.params.tools !== undefined) {
        requireCapability(capabilities.sampling?.tools, { sampling: { tools: {} } })
      }
      break
    case 'roots/list':
      requireCapability(capabilities.roots, { roots: {} })
  }
}

/** Throws if the client did not declare the Tasks extension. */
export function requireTasks(declared: unknown): void {
  requireCapability(declared, { extensions: { [TASKS_EXTENSION]: {} } })
}

/** Throws the protocol error for a missing client capability. */
function requireCapability(declared: unknown, requiredCapabilities: ClientCapabilities): void {
  if (declared !== undefined) return
  const names = Object.keys(requiredCapabilities).join(', ')
  throw new ProtocolError(
    ERROR_CODES.missingClientCapability,
    `the client did not declare a capability that this request needs: ${names}`,
    { requiredCapabilities },
  )
}
