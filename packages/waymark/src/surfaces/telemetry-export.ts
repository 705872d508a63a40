import {
  context,
  diag,
  DiagLogLevel,
  metrics,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  CompositePropagator,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from '@opentelemetry/core'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { Failure } from '../core/error.ts'
import type { Environment } from '../core/project/setting.ts'
import type { Logger } from '../support/logger.ts'
import { VERSION } from '../support/version.ts'
import type { Telemetry } from './telemetry.ts'

const DEFAULT_INTERVAL_MS = 60_000
const FAREWELL_MS = 1_500
/** Different things that are warned of; some texts hold what differs at every try. */
const MOST_WARNINGS = 20
const LONGEST_WARNING = 300

/** Sends OTLP as JSON over HTTP. Where to, how often and with which headers is read from the environment by the SDK. */
export function exportTelemetry(env: Environment, logger: Logger): Telemetry {
  warnOfProtocol(env, logger)
  const warn = warnOnce(logger)
  logProblems(warn)
  const resource = resourceFromAttributes({
    'service.name': 'waymark',
    'service.version': VERSION,
  }).merge(detectResources({ detectors: [envDetector] }))
  const tracers = new BasicTracerProvider({
    resource,
    spanProcessors: wants(env, 'TRACES') ? [new BatchSpanProcessor(new OTLPTraceExporter())] : [],
  })
  const meters = new MeterProvider({
    resource,
    readers: wants(env, 'METRICS')
      ? [
          new PeriodicExportingMetricReader({
            exporter: new OTLPMetricExporter(),
            exportIntervalMillis: intervalOf(env),
            exportTimeoutMillis: Math.min(intervalOf(env), 30_000),
          }),
        ]
      : [],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(
    new CompositePropagator({
      propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()],
    }),
  )
  trace.setGlobalTracerProvider(tracers)
  metrics.setGlobalMeterProvider(meters)
  return {
    span: runInSpan,
    request: runInRequest,
    async [Symbol.asyncDispose]() {
      // An unreachable collector must not delay the exit.
      const isLate = await Promise.race([
        Promise.allSettled([tracers.shutdown(), meters.shutdown()]).then(() => false),
        new Promise<boolean>((resolve) => setTimeout(resolve, FAREWELL_MS, true)),
      ])
      if (isLate) warn('the collector does not answer; what was not sent yet is lost')
    },
  }
}

const runInSpan: Telemetry['span'] = (name, work) =>
  trace.getTracer('waymark', VERSION).startActiveSpan(name, async (span) => {
    try {
      return await work()
    } catch (error) {
      // Only the code: a message may hold stored text.
      const code = error instanceof Failure ? error.code : 'internal'
      span.setAttribute('error.type', code)
      span.setStatus({ code: SpanStatusCode.ERROR, message: code })
      throw error
    } finally {
      span.end()
    }
  })

const CARRIED = ['traceparent', 'tracestate', 'baggage'] as const

const runInRequest: Telemetry['request'] = async (name, header, work) => {
  const carrier = Object.fromEntries(CARRIED.map((key) => [key, header(key) ?? '']))
  const parent = propagation.extract(ROOT_CONTEXT, carrier)
  const tracer = trace.getTracer('waymark', VERSION)
  return await tracer.startActiveSpan(name, { kind: SpanKind.SERVER }, parent, async (span) => {
    try {
      return await work()
    } finally {
      span.end()
    }
  })
}

/** `none` switches one of the two off. */
function wants(env: Environment, signal: 'TRACES' | 'METRICS'): boolean {
  return env[`OTEL_${signal}_EXPORTER`] !== 'none'
}

function intervalOf(env: Environment): number {
  const given = Number(env['OTEL_METRIC_EXPORT_INTERVAL'])
  return Number.isSafeInteger(given) && given > 0 ? given : DEFAULT_INTERVAL_MS
}

function warnOfProtocol(env: Environment, logger: Logger): void {
  const protocol = env['OTEL_EXPORTER_OTLP_PROTOCOL']
  if (protocol === undefined || protocol === '' || protocol === 'http/json') return
  logger.warn('OTEL_EXPORTER_OTLP_PROTOCOL is not supported; using http/json', { protocol })
}

/** Logs each warning once: an unreachable collector fails at every export. */
function warnOnce(logger: Logger): (message: string) => void {
  const said = new Set<string>()
  return (message) => {
    const text = message.slice(0, LONGEST_WARNING)
    const isNew = !said.has(text) && said.size < MOST_WARNINGS
    logger[isNew ? 'warn' : 'debug']('telemetry has a problem', { message: text })
    if (isNew) said.add(text)
  }
}

function logProblems(warn: (message: string) => void): void {
  const silent = (): void => {}
  diag.setLogger(
    { error: warn, warn, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}
