import type { HttpAppOptions, SessionEvent } from '@waymark/baton/http'
import type { Context } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { VERSION } from '../../support/version.ts'
import { parsePath } from './site-path.ts'

type Labels = Readonly<Record<string, string | number>>

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

interface Series {
  readonly labels: string
  readonly buckets: number[]
  sum: number
  count: number
}

/** Counters and histograms in the text format of Prometheus. */
export class Metrics {
  readonly #operations = new Map<string, Series>()
  readonly #requests = new Map<string, Series>()
  readonly #sessions = new Map<string, number>()

  /** A request with a part of the site, a method and a status: few values, however many addresses there are. */
  request(labels: { part: string; method: string; status: number }, seconds: number): void {
    observe(this.#requests, labels, seconds)
  }

  /** An operation that ran, whichever way it was asked for. */
  operation(labels: { operation: string; outcome: string }, seconds: number): void {
    observe(this.#operations, labels, seconds)
  }

  session({ kind }: SessionEvent): void {
    this.#sessions.set(kind, (this.#sessions.get(kind) ?? 0) + 1)
  }

  toText(): string {
    const { rss } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    return [
      ...simple('waymark_info', 'gauge', 'The version that runs', [
        [toLabels({ version: VERSION }), 1],
      ]),
      ...histogram('waymark_http_request_duration_seconds', 'Requests over HTTP', this.#requests),
      ...histogram('waymark_operation_duration_seconds', 'Operations that ran', this.#operations),
      ...simple(
        'waymark_mcp_sessions_total',
        'counter',
        'What happened to sessions',
        [...this.#sessions].map(([event, count]) => [toLabels({ event }), count]),
      ),
      ...simple('process_resident_memory_bytes', 'gauge', 'Memory in use', [['', rss]]),
      ...simple('process_cpu_seconds_total', 'counter', 'Processor time', [
        ['', (user + system) / 1e6],
      ]),
      ...simple('process_start_time_seconds', 'gauge', 'When it started', [['', STARTED_AT]]),
      '',
    ].join('\n')
  }
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD'])

/** Records the duration of every request by part of the site, method and status. */
export function measureRequests(metrics: Metrics): NonNullable<HttpAppOptions['onResponse']> {
  return (status, { path, method }, elapsedMs) => {
    const part = path === '/health' ? 'health' : (parsePath(path)?.kind ?? 'other')
    const labels = { part, method: METHODS.has(method) ? method : 'other', status }
    metrics.request(labels, elapsedMs / 1000)
  }
}

/** A span that records duration and outcome of operations, around another span such as a tracer's. */
export function measureOperations(
  metrics: Metrics,
  within: Context['span'] = (_name, work) => work(),
): Context['span'] {
  return async (operation, work) => {
    const started = performance.now()
    const count = (outcome: string): void =>
      metrics.operation({ operation, outcome }, (performance.now() - started) / 1000)
    try {
      const output = await within(operation, work)
      count('ok')
      return output
    } catch (error) {
      count(error instanceof Failure ? error.code : 'internal')
      throw error
    }
  }
}

const STARTED_AT = Math.round(performance.timeOrigin / 1000)

function observe(all: Map<string, Series>, labels: Labels, seconds: number): void {
  const key = toLabels(labels)
  const series = all.get(key) ?? { labels: key, buckets: BUCKETS.map(() => 0), sum: 0, count: 0 }
  all.set(key, series)
  series.sum += seconds
  series.count += 1
  for (const [at, limit] of BUCKETS.entries()) {
    if (seconds <= limit) series.buckets[at] = (series.buckets[at] ?? 0) + 1
  }
}

function simple(
  name: string,
  type: 'gauge' | 'counter',
  help: string,
  values: readonly (readonly [string, number])[],
): string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...values.map(([labels, value]) => `${name}${braced(labels)} ${value}`),
  ]
}

function histogram(name: string, help: string, all: ReadonlyMap<string, Series>): string[] {
  const lines = [...all.values()].flatMap(({ labels, buckets, sum, count }) => [
    ...BUCKETS.map((limit, at) => `${name}_bucket{${labels},le="${limit}"} ${buckets[at] ?? 0}`),
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum${braced(labels)} ${sum}`,
    `${name}_count${braced(labels)} ${count}`,
  ])
  return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...lines]
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`
}

/** Values come from closed lists; they are escaped all the same. */
function toLabels(labels: Labels): string {
  return Object.entries(labels)
    .map(
      ([name, value]) =>
        `${name}="${String(value).replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`,
    )
    .join(',')
}
