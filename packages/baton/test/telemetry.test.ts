import { AsyncLocalStorage } from 'node:async_hooks'
import {
  context,
  metrics,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type {
  Attributes,
  Context,
  ContextManager,
  Link,
  MeterProvider,
  Span,
  SpanOptions,
  TextMapPropagator,
  TracerProvider,
} from '@opentelemetry/api'
import { connectInMemory, createServer, ProtocolError } from '@waymark/baton'
import type { MemoryClient } from '@waymark/baton'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { MODERN_META } from './support/sample-server.ts'

interface SeenSpan {
  name: string
  kind: number | undefined
  attributes: Attributes
  links: readonly Link[]
  parentTrace: string | undefined
  status?: { code: SpanStatusCode; message?: string }
  ended: boolean
}

const spans: SeenSpan[] = []
const measured: { name: string; value: number; attributes: Attributes | undefined }[] = []

/** The least that counts as an SDK: it keeps what it is told. */
function createTracerProvider(): TracerProvider {
  const startSpan = (name: string, options: SpanOptions = {}, parent: Context = ROOT_CONTEXT) => {
    const seen: SeenSpan = {
      name,
      kind: options.kind,
      attributes: { ...options.attributes },
      links: options.links ?? [],
      parentTrace: trace.getSpanContext(parent)?.traceId,
      ended: false,
    }
    spans.push(seen)
    const spanContext = {
      traceId: seen.parentTrace ?? 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      traceFlags: 1,
    }
    return {
      spanContext: () => spanContext,
      setAttributes: (attributes: Attributes) => void Object.assign(seen.attributes, attributes),
      setStatus: (status: SeenSpan['status']) => void Object.assign(seen, { status }),
      end: () => void (seen.ended = true),
    } as unknown as Span
  }
  return { getTracer: () => ({ startSpan, startActiveSpan: () => undefined }) } as never
}

function createMeterProvider(): MeterProvider {
  const createHistogram = (name: string) => ({
    record: (value: number, attributes?: Attributes) =>
      void measured.push({ name, value, attributes }),
  })
  return { getMeter: () => ({ createHistogram }) } as never
}

function createContextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, run, thisArg, ...args) =>
      storage.run(active, () => run.apply(thisArg as never, args)),
    bind: (_context, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  return manager
}

const traceparent: TextMapPropagator = {
  inject: () => {},
  extract(parent, carrier, getter) {
    const [, traceId, spanId] = String(getter.get(carrier, 'traceparent') ?? '').split('-')
    if (traceId === undefined || spanId === undefined) return parent
    return trace.setSpanContext(parent, { traceId, spanId, traceFlags: 1 })
  },
  fields: () => ['traceparent'],
}

function connect(): MemoryClient {
  const server = createServer({ name: 'watched', version: '1' })
    .tool({
      name: 'work',
      run: () => ({
        content: [{ type: 'text', text: trace.getActiveSpan()?.spanContext().spanId ?? '' }],
      }),
    })
    .tool({ name: 'fail', run: () => ({ content: [], isError: true }) })
    .tool({
      name: 'refuse',
      run() {
        throw new ProtocolError(-32004, 'not today')
      },
    })
    .resource({
      uri: 'a://b',
      name: 'b',
      read() {
        throw new Error('secret')
      },
    })
  return connectInMemory(server, { transport: 'pipe', session: { id: 'session-1' } })
}

beforeEach(() => {
  spans.length = 0
  measured.length = 0
  trace.setGlobalTracerProvider(createTracerProvider())
  metrics.setGlobalMeterProvider(createMeterProvider())
  context.setGlobalContextManager(createContextManager())
  propagation.setGlobalPropagator(traceparent)
})

afterAll(() => {
  for (const api of [trace, metrics, context, propagation]) api.disable()
})

test('a tool call is a server span with the attributes of the conventions', async () => {
  const response = await connect().request('tools/call', { name: 'work' })
  expect(response).toHaveProperty('result.content.0.text', 'b'.repeat(16))
  expect(spans).toEqual([
    {
      name: 'tools/call work',
      kind: 1,
      attributes: {
        'mcp.method.name': 'tools/call',
        'mcp.protocol.version': '2025-11-25',
        'mcp.session.id': 'session-1',
        'mcp.session_id': 'session-1',
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'work',
        'jsonrpc.request.id': response['id'],
        'network.transport': 'pipe',
        'rpc.system': 'jsonrpc',
        'rpc.method': 'tools/call',
        'rpc.jsonrpc.version': '2.0',
        'rpc.jsonrpc.request_id': response['id'],
        'mcp.tool.name': 'work',
        'mcp.tool.duration_ms': expect.any(Number) as number,
        'mcp.tool.success': true,
        'mcp.tool.content_count': 1,
      },
      links: [],
      parentTrace: undefined,
      ended: true,
    },
  ])
  expect(measured).toMatchObject([
    {
      name: 'mcp.server.operation.duration',
      attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'work' },
    },
  ])
})

test('a modern request has no session and takes its parent from _meta', async () => {
  const traceId = 'c'.repeat(32)
  const _meta = { ...MODERN_META, traceparent: `00-${traceId}-${'d'.repeat(16)}-01` }
  const ambient = trace.setSpanContext(ROOT_CONTEXT, {
    traceId: 'e'.repeat(32),
    spanId: 'f'.repeat(16),
    traceFlags: 1,
  })
  const client = connect()
  await context.with(ambient, () => client.request('tools/call', { name: 'work', _meta }))
  const [span] = spans
  expect(span).toMatchObject({
    parentTrace: traceId,
    attributes: { 'mcp.protocol.version': '2026-07-28' },
  })
  expect(span?.links).toMatchObject([{ context: { traceId: 'e'.repeat(32) } }])
  expect(span?.attributes).not.toHaveProperty('mcp.session.id')
})

test.each([
  ['tools/call', { name: 'fail' }, 'tool_error', 'the tool reported an error'],
  ['tools/call', { name: 'refuse' }, '-32004', 'not today'],
  ['resources/read', { uri: 'a://b' }, '-32603', 'internal error'],
  ['nothing', {}, '-32601', 'method not found: nothing'],
])('%s %j is a span with an error', async (method, params, type, message) => {
  await connect().request(method, params)
  expect(spans).toMatchObject([
    { attributes: { 'error.type': type }, status: { code: SpanStatusCode.ERROR, message } },
  ])
  expect(measured).toMatchObject([{ attributes: { 'error.type': type } }])
})

test('names that a client invents do not become series of a metric', async () => {
  const client = connect()
  await client.request('invented/method')
  await client.request('tools/call', { name: 'invented' })
  expect(measured.map(({ attributes }) => attributes)).toEqual([
    expect.objectContaining({ 'mcp.method.name': '_OTHER' }),
    expect.not.objectContaining({ 'gen_ai.tool.name': 'invented' }),
  ])
})
