import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { Attributes } from '@opentelemetry/api'
import type { JsonObject } from '@waymark/baton'
import { beforeAll, expect, test } from 'vitest'
import { bundleProgram } from '../../../../scripts/vitest/bundle-program.ts'

const FIXTURE = new URL('../fixtures/traced-server.ts', import.meta.url)

interface SeenSpan {
  readonly name: string
  readonly kind: number
  readonly spanId: string
  readonly parent?: string
  readonly links: readonly string[]
  readonly attributes: Attributes
  readonly status: { readonly code: number; readonly message?: string }
}

interface Report {
  readonly responses: readonly JsonObject[]
  readonly spans: readonly SeenSpan[]
  readonly operations: readonly Attributes[]
  readonly ambientId: string
}

let report: Report

/** The spans of the requests, in their order, and the span of the tool that a request has called. */
const requests = () => report.spans.filter(({ name }) => name === 'mcp.request')
const toolOf = (request: SeenSpan | undefined) =>
  report.spans.find(({ name, parent }) => name === 'mcp.tool.call' && parent === request?.spanId)

// In a process of its own, because an SDK is for the whole process.
beforeAll(async () => {
  const args = [bundleProgram(FIXTURE)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  report = JSON.parse(stdout) as Report
})

test('a request is a server span, and the tool call in it a child [telemetry-tool-call]', () => {
  const [span] = requests()
  const [response] = report.responses
  expect(span).toMatchObject({ kind: SpanKind.SERVER, links: [] })
  expect(span?.attributes).toEqual({
    'mcp.method': 'tools/call',
    'mcp.method.name': 'tools/call',
    'mcp.request_id': response?.['id'],
    'mcp.protocol.version': '2025-11-25',
    'mcp.session.id': 'session-1',
    'mcp.session_id': 'session-1',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'work',
    'jsonrpc.request.id': response?.['id'],
    'network.transport': 'pipe',
    'rpc.system': 'jsonrpc',
    'rpc.method': 'tools/call',
    'rpc.jsonrpc.version': '2.0',
    'rpc.jsonrpc.request_id': response?.['id'],
  })
  const tool = toolOf(span)
  // The tool runs in its span, so that spans of its own are below that.
  expect(response).toHaveProperty('result.content.0.text', tool?.spanId)
  expect(tool).toMatchObject({ kind: SpanKind.INTERNAL, status: { code: SpanStatusCode.UNSET } })
  expect(tool?.attributes).toEqual({
    'mcp.tool.name': 'work',
    'mcp.tool.duration_ms': expect.any(Number) as number,
    'mcp.tool.success': true,
    'mcp.tool.content_count': 1,
  })
  expect(report.operations[0]).toEqual({
    'mcp.method.name': 'tools/call',
    'mcp.protocol.version': '2025-11-25',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'work',
    'network.transport': 'pipe',
  })
})

test('a modern request has no session, and its parent span is from _meta', () => {
  const span = requests()[1]
  expect(span).toMatchObject({ parent: 'd'.repeat(16), links: [report.ambientId] })
  expect(span?.attributes).toMatchObject({ 'mcp.protocol.version': '2026-07-28' })
  expect(span?.attributes).not.toHaveProperty(['mcp.session.id'])
})

test.each([
  [2, 'fail', 'tool_error', 'the tool reported an error'],
  [3, 'refuse', '-32004', 'not today'],
  [4, undefined, '-32603', 'internal error'],
  [5, undefined, '-32601', 'method not found: invented/method'],
  [6, 'invented', '-32602', 'unknown tool: invented'],
])(
  'request %i, tool %s, is a span with an error [telemetry-failed-call]',
  (index, name, type, message) => {
    const span = requests()[index]
    const failed = {
      attributes: { 'error.type': type },
      status: { code: SpanStatusCode.ERROR, message },
    }
    expect(span).toMatchObject(failed)
    const tool = toolOf(span)
    if (name === undefined) expect(tool).toBeUndefined()
    else {
      expect(tool).toMatchObject(failed)
      expect(tool?.attributes).toMatchObject({ 'mcp.tool.name': name, 'mcp.tool.success': false })
    }
  },
)

test('invented names do not become metric series', () => {
  const methods = report.operations.map((attributes) => attributes['mcp.method.name'])
  const tools = report.operations.map((attributes) => attributes['gen_ai.tool.name'])
  expect(methods).toContain('_OTHER')
  expect(methods).not.toContain('invented/method')
  expect(tools).not.toContain('invented')
})
