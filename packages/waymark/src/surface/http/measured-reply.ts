import type { HttpReply, HttpRequest } from '@waymark/baton/http'
import type { Metrics } from './metrics.ts'
import { parsePath } from './site-path.ts'

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD'])

/** A way back to the client that tells how long it took until it was used. */
export function measured(metrics: Metrics, request: HttpRequest, reply: HttpReply): HttpReply {
  const { path, method } = request
  const part = path === '/health' ? 'health' : (parsePath(path)?.kind ?? 'other')
  const started = performance.now()
  const count = (status: number): void => {
    const labels = { part, method: METHODS.has(method) ? method : 'other', status }
    metrics.request(labels, (performance.now() - started) / 1000)
  }
  return {
    setHeader: (name, value) => reply.setHeader(name, value),
    send: (answer) => {
      count(answer.status)
      reply.send(answer)
    },
    stream: () => {
      count(200)
      return reply.stream()
    },
    onDisconnect: (listener) => reply.onDisconnect(listener),
  }
}
