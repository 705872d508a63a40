// Lets sessions live and end under the real OpenTelemetry SDK and prints what its exporters got.
import { metrics, trace } from '@opentelemetry/api'
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
import { createServer } from '@waymark/baton'
import { createHttpHandler, MemorySessionStore } from '@waymark/baton/http'
import { LegacyClient } from './http-client.ts'

const spans = new InMemorySpanExporter()
const points = new InMemoryMetricExporter(AggregationTemporality.DELTA)
const reader = new PeriodicExportingMetricReader({ exporter: points })
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
)
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))

let time = 1_800_000_000_000
const now = (): number => time
const store = new MemorySessionStore({ now })
const server = createServer({ name: 'traced', version: '1.0.0' })
const url = 'http://localhost:4120/mcp'

const first = createHttpHandler(server, { authenticator: 'none', store, now })
const client = await LegacyClient.connect({ url, send: first.fetch })
await reported('mcp.session.created')
await first.close(0)
time += 1_500
const second = createHttpHandler(server, { authenticator: 'none', store, now })
const resumed = new LegacyClient({ url, send: second.fetch })
resumed.sessionId = client.sessionId
await resumed.request('ping')
time += 2_500
await resumed.delete()

await reported('mcp.session.terminated')
await reader.forceFlush()
const durations = points
  .getMetrics()
  .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
  .filter(({ descriptor }) => descriptor.name === 'mcp.server.session.duration')
  .flatMap(({ dataPoints }) => dataPoints.map(({ value, attributes }) => ({ value, attributes })))
await reader.shutdown()
await second.close(0)

const steps = spans
  .getFinishedSpans()
  .filter(({ name }) => name.startsWith('mcp.session.'))
  .map(({ name, attributes }) => ({ name, attributes }))
/** Nobody waits for telemetry, so we look until it is there. */
async function reported(step: string): Promise<void> {
  while (!spans.getFinishedSpans().some(({ name }) => name === step))
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
}

process.stdout.write(JSON.stringify({ sessionId: client.sessionId, steps, durations }))
