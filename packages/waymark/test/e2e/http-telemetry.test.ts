import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createProject } from '../setup.ts'
import { startServer } from './binary.ts'
import { type Received, startCollector } from './collector.ts'
import { connectLegacy, post, startHttp } from './http-server.ts'

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
}

function spansIn(received: readonly Received[]): Span[] {
  const bodies = received.filter(({ path }) => path === '/v1/traces').map(({ body }) => body)
  return bodies.flatMap((body) => {
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: { scopeSpans: { spans: Span[] }[] }[]
    }
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  })
}

describe('telemetry', () => {
  it('goes to the collector that the standard variables name: calls, their operations and metrics', async () => {
    await using repository = await createProject()
    await using collector = await startCollector()
    await using server = await startHttp(repository.directory, ['--http', '0'], collector.env)
    {
      await using client = await connectLegacy(server.ready.url, { token: server.secret })
      await client.call('task_create', { tasks: [{ title: 'traced' }] })
    }
    await server.ask('/api/entity.get?id=99')
    await server.kill('SIGTERM')
    const { received } = collector
    const spans = spansIn(received)
    const call = spans.find(({ name }) => name === 'mcp.tool.call')
    const operation = spans.find(({ name }) => name.startsWith('task.'))
    expect(operation).toMatchObject({ traceId: call?.traceId, parentSpanId: call?.spanId })
    expect(spans.map(({ name }) => name)).toContain('entity.get')
    expect(received.map(({ path }) => path)).toContain('/v1/metrics')
    expect(received[0]?.headers['x-team']).toBe('blue')
    const all = received.map(({ body }) => body).join()
    for (const text of ['our-waymark', 'deployment.environment', 'mcp.server.operation.duration'])
      expect(all).toContain(text)
    expect(all).not.toContain(server.secret)
  })

  it('works on pipes too, and a collector that is not there harms nobody', async () => {
    await using repository = await createProject()
    await using collector = await startCollector()
    {
      await using server = await startServer(repository.directory, [], collector.env)
      await server.create('traced')
      server.child.stdin.end()
      expect(await server.closed).toMatchObject({ code: 0 })
    }
    expect(spansIn(collector.received).map(({ name }) => name)).toContain('entity.create')
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_METRICS_EXPORTER: 'none',
    }
    await using server = await startServer(repository.directory, [], env)
    expect(await server.create('untraced')).toMatchObject({ result: {} })
    server.child.stdin.end()
    expect(await server.closed).toMatchObject({ code: 0 })
  })

  it('a collector that never answers is not waited for, and is complained of once', async () => {
    await using repository = await createProject()
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    await using server = await startServer(repository.directory, [], {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      // The process would wait for an hour, and nobody for the process.
      OTEL_EXPORTER_OTLP_TIMEOUT: '3600000',
    })
    await server.create('untraced')
    server.child.stdin.end()
    expect(await server.closed).toMatchObject({ code: 0 })
    expect(server.log.text.match(/WARN .*telemetry.*/g)).toEqual([
      expect.stringContaining('the collector does not answer'),
    ])
    silent.closeAllConnections()
    silent.close()
  })
})

describe('metrics', () => {
  it('count requests, operations and sessions, for those who are let in', async () => {
    await using repository = await createProject()
    await using server = await startHttp(repository.directory)
    await using client = await connectLegacy(server.ready.url, { token: server.secret })
    await client.call('task_create', { tasks: [{ title: 'counted' }] })
    await server.ask('/api/entity.create', post({ type: 'note', title: 'counted' }))
    await server.ask('/api/entity.get?id=99')
    await fetch(`${server.origin}/api/entity.list`)
    await fetch(`${server.origin}/nothing/${'x'.repeat(50)}`)
    const response = await server.ask('/metrics')
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await response.text()
    for (const line of [
      'waymark_operation_duration_seconds_count{operation="entity.create",outcome="ok"} 1',
      'waymark_operation_duration_seconds_count{operation="entity.get",outcome="not_found"} 1',
      'waymark_http_request_duration_seconds_count{part="api",method="POST",status="200"} 1',
      'waymark_http_request_duration_seconds_count{part="api",method="GET",status="401"} 1',
      'waymark_http_request_duration_seconds_count{part="other",method="GET",status="404"} 1',
      'waymark_mcp_sessions_total{event="created"} 1',
      'waymark_operation_duration_seconds_bucket{operation="entity.create",outcome="ok",le="+Inf"} 1',
    ])
      expect(text).toContain(line)
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? [\d.e+-]+)$/)
    expect(text).not.toContain('xxx')
    expect((await fetch(`${server.origin}/metrics`)).status).toBe(401)
    expect((await server.ask('/metrics', { method: 'POST' })).status).toBe(405)
  })
})
