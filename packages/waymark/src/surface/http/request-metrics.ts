import type { HttpAppOptions } from '@waymark/baton/http'
import type { Metrics } from './metrics.ts'
import { parsePath } from './site-path.ts'

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD'])

/** Records the duration of every request by part of the site, method and status. */
export function measureRequests(metrics: Metrics): NonNullable<HttpAppOptions['onResponse']> {
  return (status, { path, method }, elapsedMs) => {
    const part = path === '/health' ? 'health' : (parsePath(path)?.kind ?? 'other')
    const labels = { part, method: METHODS.has(method) ? method : 'other', status }
    metrics.request(labels, elapsedMs / 1000)
  }
}
