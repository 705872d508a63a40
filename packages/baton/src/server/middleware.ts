import type { JsonObject } from '../protocol/json-rpc.ts'
import type { CallContext } from './call-context.ts'

/** The request that a middleware wraps. */
export interface MiddlewareCall {
  readonly method: string
  readonly params: Readonly<JsonObject>
  readonly context: CallContext
}

/** Wraps every request; returns the result of `next`, or another one, or throws. */
export type Middleware = (call: MiddlewareCall, next: () => Promise<object>) => Promise<object>

/** Runs a request inside all middleware; the first one added is the outermost. */
export function runInside(
  middlewares: readonly Middleware[],
  call: MiddlewareCall,
  run: () => Promise<object>,
): Promise<object> {
  const [outermost, ...inner] = middlewares
  if (outermost === undefined) return run()
  return outermost(call, () => runInside(inner, call, run))
}
