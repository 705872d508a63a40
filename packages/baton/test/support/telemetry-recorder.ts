import { metrics, trace } from '@opentelemetry/api'
import type { Attributes } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'

/** What the real OpenTelemetry SDK has recorded in this process. */
export interface TelemetryRecorder {
  spans(): ReadableSpan[]
  /** The points of one metric; to be called last, because it ends the recording of metrics. */
  points(metric: string): Promise<{ readonly value: unknown; readonly attributes: Attributes }[]>
}

/** Installs the SDK; a process can have only one. */
export function recordTelemetry(): TelemetryRecorder {
  const spans = new InMemorySpanExporter()
  const points = new InMemoryMetricExporter(AggregationTemporality.DELTA)
  const reader = new PeriodicExportingMetricReader({ exporter: points })
  const spanProcessors = [new SimpleSpanProcessor(spans)]
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }))
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
  return {
    spans: () => spans.getFinishedSpans(),
    async points(metric) {
      await reader.forceFlush()
      const found = points
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
        .filter(({ descriptor }) => descriptor.name === metric)
        .flatMap(({ dataPoints }) =>
          dataPoints.map(({ value, attributes }) => ({ value, attributes })),
        )
      await reader.shutdown()
      return found
    },
  }
}
