import { metrics } from '@opentelemetry/api'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import type { SessionStore } from '@waymark/baton/http'
import type { Studio } from './studio.ts'

/** Figures for Prometheus. */
export interface Metrics extends AsyncDisposable {
  /** All of them, in Prometheus' text format. */
  scrape(): Promise<string>
}

/** Collects baton's figures and the studio's own. Installing an SDK is all that baton needs to begin measuring. */
export function createMetrics(studio: Studio, sessions: SessionStore): Metrics {
  const exporter = new PrometheusExporter({ preventServerStart: true })
  const resource = resourceFromAttributes({ 'service.name': 'hootenanny' })
  const provider = new MeterProvider({ readers: [exporter], resource })
  metrics.setGlobalMeterProvider(provider)
  const meter = provider.getMeter('hootenanny')
  meter
    .createObservableGauge('hootenanny.jobs', { description: 'Jobs that are not over' })
    .addCallback((result) => {
      const { pending, running } = studio.jobs.counts()
      result.observe(pending, { status: 'pending' })
      result.observe(running, { status: 'running' })
    })
  meter
    .createObservableGauge('hootenanny.artifacts', { description: 'Artifacts made' })
    .addCallback((result) => {
      result.observe(studio.artifacts.summary().total)
    })
  meter
    .createObservableGauge('hootenanny.sessions', { description: 'MCP sessions' })
    .addCallback(async (result) => {
      const { total, connected } = await sessions.stats()
      result.observe(connected, { state: 'connected' })
      result.observe(total - connected, { state: 'disconnected' })
    })
  const serializer = new PrometheusSerializer()
  return {
    async scrape() {
      const { resourceMetrics } = await exporter.collect()
      return serializer.serialize(resourceMetrics)
    },
    async [Symbol.asyncDispose]() {
      metrics.disable()
      await provider.shutdown()
    },
  }
}
