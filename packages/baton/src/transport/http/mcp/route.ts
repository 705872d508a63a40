import { MESSAGE_PATH, SSE_PATH } from './sse-endpoint.ts'

/** The endpoint of a path. */
export type Route = 'endpoint' | 'sse' | 'message' | 'none'

/**
 * Finds the route of a path. Without a mount path only the suffix counts, so that a router can be mounted anywhere.
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
