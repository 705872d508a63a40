import type * as OpenTelemetry from '@opentelemetry/api'
import type { Attributes, Context, Histogram, Link, Span } from '@opentelemetry/api'
import type { Call } from '../server/call/call.ts'
import {
  toErrorOutcome,
  toMetricAttributes,
  toRequestAttributes,
  toResultOutcome,
} from './call-attributes.ts'
import type { Outcome } from './call-attributes.ts'

const SCOPE = '@waymark/baton'
const SECONDS = {
  unit: 's',
  advice: {
    explicitBucketBoundaries: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
  },
}

/** The OpenTelemetry API module, imported lazily. */
export type OpenTelemetryApi = typeof OpenTelemetry

interface Spans {
  readonly request: Span
  /** Of a tool call alone. */
  readonly tool?: Span
}

/** Spans and metrics of one server. */
export class Instruments {
  readonly #otel: OpenTelemetryApi
  readonly #operations: Histogram
  readonly #sessions: Histogram

  constructor(otel: OpenTelemetryApi) {
    this.#otel = otel
    const meter = otel.metrics.getMeter(SCOPE)
    this.#operations = meter.createHistogram('mcp.server.operation.duration', SECONDS)
    this.#sessions = meter.createHistogram('mcp.server.session.duration', SECONDS)
  }

  /** Runs a request in its own span, a tool call in a child of that, and records its duration. */
  async observe(call: Call, run: () => Promise<object>): Promise<object> {
    const { context } = this.#otel
    const { spans, active } = this.#startSpans(call)
    const startedAt = performance.now()
    let outcome: Outcome | undefined
    try {
      const result = await context.with(active, run)
      outcome = toResultOutcome(call, result)
      return result
    } catch (error) {
      outcome = toErrorOutcome(call, error)
      throw error
    } finally {
      if (outcome !== undefined) this.#finish(call, spans, outcome, performance.now() - startedAt)
    }
  }

  /** Records a session event as a span without duration. */
  sessionEvent(name: string, attributes: Attributes): void {
    this.#otel.trace.getTracer(SCOPE).startSpan(name, { attributes }).end()
  }

  /** Records the lifetime of a session. */
  sessionEnded(milliseconds: number, attributes: Attributes): void {
    this.#sessions.record(milliseconds / 1000, attributes)
  }

  #startSpans(call: Call): { readonly spans: Spans; readonly active: Context } {
    const { SpanKind, trace } = this.#otel
    const tracer = trace.getTracer(SCOPE)
    const { parent, links } = this.#findParent(call)
    const options = { kind: SpanKind.SERVER, attributes: toRequestAttributes(call), links }
    const request = tracer.startSpan('mcp.request', options, parent)
    const inRequest = trace.setSpan(parent, request)
    if (call.method !== 'tools/call') return { spans: { request }, active: inRequest }
    const tool = tracer.startSpan('mcp.tool.call', {}, inRequest)
    return { spans: { request, tool }, active: trace.setSpan(inRequest, tool) }
  }

  // The parent is the trace context in `_meta` if there is one; the span of the transport is then linked.
  #findParent(call: Call): { readonly parent: Context; readonly links: Link[] } {
    const { context, propagation, ROOT_CONTEXT, trace } = this.#otel
    const ambient = context.active()
    const extracted = propagation.extract(ROOT_CONTEXT, call.envelope.meta)
    if (trace.getSpanContext(extracted) === undefined) return { parent: ambient, links: [] }
    const related = trace.getSpanContext(ambient)
    return { parent: extracted, links: related === undefined ? [] : [{ context: related }] }
  }

  #finish(call: Call, { request, tool }: Spans, outcome: Outcome, milliseconds: number): void {
    const { attributes, error } = outcome
    request.setAttributes(attributes)
    tool?.setAttributes({ ...outcome.tool, 'mcp.tool.duration_ms': milliseconds })
    for (const span of [tool, request]) {
      if (error !== undefined) {
        span?.setAttributes({ 'error.type': error.type })
        span?.setStatus({ code: this.#otel.SpanStatusCode.ERROR, message: error.message })
      }
      span?.end()
    }
    this.#operations.record(milliseconds / 1000, toMetricAttributes(call, error?.type))
  }
}
