import type * as OpenTelemetry from '@opentelemetry/api'
import type { Attributes, Context, Histogram, Link, Span } from '@opentelemetry/api'
import type { Call } from '../server/call/call.ts'
import {
  toErrorOutcome,
  toMetricAttributes,
  toRequestAttributes,
  toResultOutcome,
  toTarget,
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

  /** Runs a request in its own span and records its duration. */
  async observe(call: Call, run: () => Promise<object>): Promise<object> {
    const { context, trace } = this.#otel
    const { span, parent } = this.#startSpan(call)
    const startedAt = performance.now()
    const elapsed = (): number => performance.now() - startedAt
    let outcome: Outcome | undefined
    try {
      const result = await context.with(trace.setSpan(parent, span), run)
      outcome = toResultOutcome(call, result, elapsed())
      return result
    } catch (error) {
      outcome = toErrorOutcome(error)
      throw error
    } finally {
      if (outcome !== undefined) this.#finish(call, span, outcome, elapsed())
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

  #startSpan(call: Call): { readonly span: Span; readonly parent: Context } {
    const { SpanKind, trace } = this.#otel
    const { parent, links } = this.#findParent(call)
    const target = toTarget(call)
    const name = target === undefined ? call.method : `${call.method} ${target}`
    const options = { kind: SpanKind.SERVER, attributes: toRequestAttributes(call), links }
    return { span: trace.getTracer(SCOPE).startSpan(name, options, parent), parent }
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

  #finish(call: Call, span: Span, { attributes, error }: Outcome, milliseconds: number): void {
    span.setAttributes(attributes)
    if (error !== undefined) {
      span.setAttributes({ 'error.type': error.type })
      span.setStatus({ code: this.#otel.SpanStatusCode.ERROR, message: error.message })
    }
    span.end()
    this.#operations.record(milliseconds / 1000, toMetricAttributes(call, error?.type))
  }
}
