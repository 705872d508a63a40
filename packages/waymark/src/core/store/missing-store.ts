import { SessionAgents } from '../../agent/session-agents.ts'
import type { Failure } from '../error.ts'
import type { Store } from './store.ts'

/**
 * Store of a project that does not exist: a server that was started too early, or in the wrong folder, starts anyway
 * and fails each call with the reason.
 */
export function createMissingStore(failure: Failure): Store {
  const refuse = (): never => {
    throw failure
  }
  const noun = new Proxy({}, { get: () => async () => refuse() })
  const store = {
    sessionAgents: new SessionAgents(),
    now: async () => refuse(),
    write: async () => refuse(),
    watch: () => () => {},
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  }
  return new Proxy(store as unknown as Store, {
    get: (target, name) => (name in target ? Reflect.get(target, name) : noun),
  })
}
