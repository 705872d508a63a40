import type { JsonObject } from '../protocol/json-rpc.ts'
import type { CallContext } from './call-context.ts'

/** A request on its way to its handler. */
export interface MiddlewareCall {
  readonly method: string
  readonly params: Readonly<JsonObject>
  readonly context: CallContext
}

/** Wraps every request; returns what `next` gives, or something else, or throws. */
export type Middleware = (call: MiddlewareCall, next: () => Promise<object>) => Promise<object>

/** Runs a request inside all middlewares; the first one added is the outermost. */
export function runInside(
  middlewares: readonly Middleware[],
  call: MiddlewareCall,
  run: () => Promise<object>,
): Promise<object> {
  const [outermost, ...inner] = middlewares
  if (outermost === undefined) return run()
  return outermost(call, () => runInside(inner, call, run))
}
