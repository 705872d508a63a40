import type { Awaitable, CallContext } from '../call-context.ts'
import type { Call } from '../call/call.ts'
import type { ServerHandler } from '../handler.ts'
import type { ListShape } from '../reply/list-pages.ts'
import type { ServerRuntime } from '../runtime.ts'
import { requireCapability } from './method.ts'
import type { Method } from './method.ts'

/** What tells one list method from another. */
interface ListedThings<Item> extends ListShape<Item> {
  /** The capability of servers that have such things. */
  readonly capability: 'tools' | 'prompts' | 'resources'
  /** Asks a handler for all of them; undefined if it cannot say. */
  readonly list: (
    handler: ServerHandler,
    context: CallContext,
  ) => Awaitable<readonly Item[]> | undefined
}

const NONE: readonly never[] = []

/** Makes a method that lists things page by page. */
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
