import { MESSAGE_PATH, SSE_PATH } from './sse-endpoint.ts'

/** What a path leads to. */
export type Route = 'endpoint' | 'sse' | 'message' | 'none'

/**
 * Finds the route of a path. Without a mount path every path is ours that the application hands over, and only its end
 * counts: that is what lets a router be nested anywhere.
 */
export function findRoute(path: string, mountPath: string | undefined): Route {
  if (mountPath === undefined) {
    if (path.endsWith(SSE_PATH)) return 'sse'
    return path.endsWith(MESSAGE_PATH) ? 'message' : 'endpoint'
  }
  if (path === mountPath) return 'endpoint'
  if (path === `${mountPath}${SSE_PATH}`) return 'sse'
  return path === `${mountPath}${MESSAGE_PATH}` ? 'message' : 'none'
}
