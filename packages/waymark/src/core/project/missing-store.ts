import { SessionAgents } from '../../agent/session/store.ts'
import type { Failure } from '../error.ts'
import type { ReadStore, Store } from '../store/store.ts'

/**
 * Store of a project that does not exist: a server that was started too early, or in the wrong folder, starts anyway
 * and fails each call with the reason.
 */
export function createMissingStore(failure: Failure): Store {
  const refuse = (): never => {
    throw failure
  }
  const noun = new Proxy({}, { get: () => async () => refuse() })
  const withNouns = <T extends object>(known: object): T =>
    new Proxy(known as T, {
      get: (target, name) => (name in target ? Reflect.get(target, name) : noun),
    })
  const sessionAgents = new SessionAgents()
  const reads = { sessionAgents, now: async () => refuse(), watch: () => () => {} }
  return withNouns<Store>({
    ...reads,
    reader: withNouns<ReadStore>(reads),
    write: async () => refuse(),
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  })
}
