import type { Context } from '../core/context.ts'
import type { Environment } from '../core/project/setting.ts'
import type { Logger } from '../support/logger.ts'

/** Exporter of spans and metrics. */
export interface Telemetry extends AsyncDisposable {
  /** Runs an operation inside a span of its own. */
  readonly span: Context['span']
  /** Runs the answer to a request inside a span, in the trace that the caller's headers name. */
  readonly request: <T>(
    name: string,
    header: (name: string) => string | null,
    work: () => Promise<T>,
  ) => Promise<T>
}

const ENDPOINTS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
] as const

/** Sends spans and metrics to the collector that OpenTelemetry's own variables name; nothing is loaded where they name none. */
export async function startTelemetry(
  env: Environment,
  logger: Logger,
): Promise<Telemetry | undefined> {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined
  if (!ENDPOINTS.some((name) => env[name])) return undefined
  const { exportTelemetry } = await import('./telemetry-export.ts')
  return exportTelemetry(env, logger)
}
