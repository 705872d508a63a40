import { expect, it } from 'vitest'
import { startCollector } from '../e2e/collector.ts'
import { startReplica } from './joined-clone.ts'
import { createDatabase } from './team-site.ts'

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
}

it('a trace leads from the request of a caller to the operation and its statements [team-traces]', async () => {
  await using database = await createDatabase()
  await using collector = await startCollector()
  await database.admin('init', 'api')
  type Created = { token: string }
  const { token } = await database.admin<Created>('token', 'create', 'ci', '--project', 'api')
  await using replica = await startReplica(database, 0, collector.env)
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const answer = await fetch(`${replica.url}/api/entity.create`, {
    method: 'POST',
    body: JSON.stringify({ type: 'note', title: 'A secret plan' }),
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    },
  })
  expect(answer.status).toBe(200)
  await replica.end()
  const bodies = collector.received.filter(({ path }) => path === '/v1/traces')
  const spans = bodies.flatMap(({ body }) => {
    type Sent = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }
    const { resourceSpans } = JSON.parse(body) as Sent
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans))
  })
  const named = (name: string) => spans.find((span) => span.name === name)
  const [request, operation, transaction, insert] = [
    'POST /api',
    'entity.create',
    'sql.transaction',
    'sql.insert entity',
  ].map(named)
  expect(request).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' })
  expect(operation).toMatchObject({ traceId, parentSpanId: request?.spanId })
  expect(transaction).toMatchObject({ traceId })
  expect(insert).toMatchObject({ traceId, parentSpanId: transaction?.spanId })
  const all = bodies.map(({ body }) => body).join()
  for (const hidden of ['A secret plan', token]) expect(all).not.toContain(hidden)
})
