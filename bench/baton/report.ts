import { availableParallelism, loadavg } from 'node:os'
import { isFloorOf } from './contenders.ts'
import type { Contender, Transport } from './contenders.ts'
import { GROWTH_BAR_MB, SESSION_BAR_KB } from './memory.ts'
import { toRatios } from './results.ts'
import type { Results } from './results.ts'
import { median } from './statistics.ts'
import type { Spread } from './statistics.ts'
import { CELLS } from './visit.ts'
import type { Sample } from './visit.ts'

const TRANSPORTS: readonly Transport[] = ['stdio', 'http']

/** Everything as Markdown. */
export function toReport(results: Results): string {
  const head =
    `${results.rounds} interleaved rounds, Node ${process.versions.node}, ` +
    `${availableParallelism()} cores, load average ${loadavg()[1]?.toFixed(0)}. CPU is the server's, all threads. ` +
    'Ratios are to the floor on the same wire in the same round, median [quartiles]. ' +
    'Times depend on what else the machine does; CPU hardly, until many processes wait for each core.'
  const parts = [
    '# Benchmark of baton',
    head,
    toSummary(results),
    ...TRANSPORTS.flatMap((transport) =>
      CELLS.map((cell, at) => toCellTable(results, transport, { title: cell.title, at })),
    ),
    ...TRANSPORTS.map((transport) => toColdStartTable(results, transport)),
    toMemoryTable(results),
    toSessionTable(results),
    results.failures.length > 0 ? `## Failures\n\n${toList(results.failures)}` : '',
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function toSummary({ calls }: Results): string {
  const rows = [...calls].map(([contender, own]) => [
    contender.transport,
    contender.name,
    contender.wire,
    ...CELLS.map((_, at) => {
      const spread = cpuRatios(calls, contender, { own, at })
      return `${toFixed(spread.median)}${toMark(spread.median, contender.callBar)}`
    }),
  ])
  return toTable(
    'CPU per call, × floor',
    ['transport', 'contender', 'wire', ...CELLS.map(({ title }) => title)],
    rows,
  )
}

function toCellTable(
  { calls }: Results,
  transport: Transport,
  { title, at }: { readonly title: string; readonly at: number },
): string {
  const rows = [...calls]
    .filter(([contender]) => contender.transport === transport)
    .map(([contender, own]) => {
      const middle = (read: (sample: Sample) => number): number =>
        median(own.flatMap((samples) => (samples[at] ? [read(samples[at])] : [])))
      const ratio = cpuRatios(calls, contender, { own, at })
      return [
        contender.name,
        contender.wire,
        middle(({ callsPerSecond }) => callsPerSecond).toFixed(0),
        middle(({ p50 }) => p50).toFixed(3),
        middle(({ p99 }) => p99).toFixed(2),
        middle(({ cpuPerCall }) => cpuPerCall).toFixed(1),
        toRatioText(ratio),
        toFixed(cpuRatios(calls, { ...contender, wire: 'legacy' }, { own, at }).median),
        toVerdict(ratio.median, contender.callBar),
      ]
    })
  return toTable(
    `${transport}, ${title}`,
    [
      'contender',
      'wire',
      'calls/s',
      'p50 ms',
      'p99 ms',
      'CPU µs/call',
      'CPU × floor',
      'CPU × legacy floor',
      'bar',
    ],
    rows,
  )
}

function toColdStartTable({ coldStarts }: Results, transport: Transport): string {
  const rows = [...coldStarts]
    .filter(([contender]) => contender.transport === transport)
    .map(([contender, own]) => {
      const floor = floorOf(coldStarts, contender)
      const ratio = toRatios(own, floor, ({ greeted }) => greeted.cpuMs)
      return [
        contender.name,
        contender.wire,
        median(own.map(({ greeted }) => greeted.elapsedMs)).toFixed(0),
        median(own.map(({ greeted }) => greeted.cpuMs)).toFixed(1),
        toRatioText(ratio),
        toVerdict(ratio.median, contender.coldStartBar),
        median(own.map(({ listed }) => listed.cpuMs)).toFixed(1),
        toRatioText(toRatios(own, floor, ({ listed }) => listed.cpuMs)),
      ]
    })
  return toTable(
    `Cold start on ${transport}: from launch to the answer to the greeting, and to the list of tools`,
    [
      'contender',
      'wire',
      'ms',
      'CPU ms',
      'CPU × floor',
      'bar',
      'CPU ms to the list',
      'list: CPU × floor',
    ],
    rows,
  )
}

function toMemoryTable({ growth }: Results): string {
  const rows = [...growth].map(([contender, { calls, rss, grownMb }]) => [
    contender.transport,
    contender.name,
    contender.wire,
    String(calls),
    rss.map((megabytes) => megabytes.toFixed(0)).join(' → '),
    grownMb.toFixed(2),
    toVerdict(grownMb, contender.callBar && GROWTH_BAR_MB),
  ])
  return toTable(
    'Memory over many calls',
    [
      'transport',
      'contender',
      'wire',
      'calls',
      'resident MB, by quarter',
      'live MB added by the last three quarters',
      'bar',
    ],
    rows,
  )
}

function toSessionTable({ sessionKb }: Results): string {
  const rows = [...sessionKb].map(([contender, kilobytes]) => [
    contender.name,
    kilobytes.toFixed(2),
    toVerdict(kilobytes, contender.callBar && SESSION_BAR_KB),
  ])
  return toTable('Memory of an idle HTTP session', ['contender', 'KB', 'bar'], rows)
}

function cpuRatios(
  calls: Results['calls'],
  contender: Contender,
  { own, at }: { readonly own: readonly (readonly Sample[])[]; readonly at: number },
): Spread {
  return toRatios(own, floorOf(calls, contender), (samples) => samples[at]?.cpuPerCall ?? NaN)
}

function floorOf<T>(lists: ReadonlyMap<Contender, T[]>, contender: Contender): readonly T[] {
  for (const [other, list] of lists) if (isFloorOf(contender, other)) return list
  return []
}

function toRatioText({ median: middle, low, high }: Spread): string {
  return `**${toFixed(middle)}** [${toFixed(low)}–${toFixed(high)}]`
}

function toVerdict(value: number, bar: number | undefined): string {
  if (bar === undefined || Number.isNaN(value)) return ''
  return value <= bar ? `met (≤ ${bar})` : `**missed** (≤ ${bar})`
}

function toMark(value: number, bar: number | undefined): string {
  if (bar === undefined || Number.isNaN(value)) return ''
  return value <= bar ? ' ✓' : ' ✗'
}

function toFixed(value: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(2)
}

function toList(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}

function toTable(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  if (rows.length === 0) return ''
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return `## ${title}\n\n${lines.join('\n')}`
}
