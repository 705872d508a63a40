import type { Awaitable, CallContext } from '../call-context.ts'
import type { Call } from '../call/call.ts'
import type { ServerHandler } from '../handler.ts'
import type { ListShape } from '../list-pages.ts'
import type { ServerRuntime } from '../runtime.ts'
import { requireCapability } from './method.ts'
import type { Method } from './method.ts'

/** The differences between list methods. */
interface ListedThings<Item> extends ListShape<Item> {
  /** The capability that advertises the method. */
  readonly capability: 'tools' | 'prompts' | 'resources'
  /** Gets all items from a handler; undefined if it lacks the method. */
  readonly list: (
    handler: ServerHandler,
    context: CallContext,
  ) => Awaitable<readonly Item[]> | undefined
}

const NONE: readonly never[] = []

/** Creates a method that lists items page by page. */
export function createListMethod<Item>(things: ListedThings<Item>): Method {
  return {
    cacheable: true,
    async run(runtime: ServerRuntime, call: Call): Promise<object> {
      requireCapability(runtime, call, things.capability)
      const items = (await things.list(runtime.handler, call.context)) ?? NONE
      return runtime.pages.page(items, call.params['cursor'], things)
    },
  }
}
