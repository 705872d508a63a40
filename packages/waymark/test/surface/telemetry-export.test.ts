import { diag } from '@opentelemetry/api'
import { expect, it } from 'vitest'
import { createLogger } from '../../src/support/logger.ts'
import { exportTelemetry } from '../../src/surfaces/telemetry-export.ts'

it('every problem is warned of once, and none hides another', async () => {
  const lines: string[] = []
  const logger = createLogger({ level: 'warn', target: 'test', write: (line) => lines.push(line) })
  const off = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }
  await using _telemetry = exportTelemetry(off, logger)
  diag.warn('Configuration: OTEL_EXPORTER_OTLP_TIMEOUT is invalid')
  for (let count = 0; count < 3; count += 1) diag.error('connect ECONNREFUSED')
  expect(lines).toEqual([
    expect.stringContaining('telemetry has a problem message="Configuration:'),
    expect.stringContaining('telemetry has a problem message="connect ECONNREFUSED"'),
  ])
  for (let count = 0; count < 100; count += 1) diag.error(`attempt ${count} failed`)
  expect(lines).toHaveLength(20)
})
