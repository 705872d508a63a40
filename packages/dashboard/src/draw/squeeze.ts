import type { Span } from './span.ts'

/** A stretch in which nothing was held, drawn shorter than it was. */
interface Gap {
  readonly from: number
  readonly to: number
  /** Where it is on the squeezed scale. */
  readonly at: number
}

export interface Scale {
  /** Times to places, in milliseconds without the silence. */
  readonly place: (time: number) => number
  /** Places back to times. */
  readonly time: (place: number) => number
  readonly length: number
  readonly gaps: readonly Gap[]
  readonly start: number
}

/** Silence longer than ten minutes takes as much room as one minute, and says how long it was. */
export function squeeze(
  spans: readonly Pick<Span, 'from' | 'to'>[],
  idle = 600_000,
  keep = 60_000,
): Scale {
  const sorted = spans.toSorted((one, other) => one.from - other.from)
  const start = sorted[0]?.from ?? 0
  const gaps: Gap[] = []
  let end = start
  let cut = 0
  for (const { from, to } of sorted) {
    if (from - end > idle) {
      gaps.push({ from: end, to: from, at: end - start - cut })
      cut += from - end - keep
    }
    end = Math.max(end, to)
  }
  const place = (time: number): number => {
    let removed = 0
    for (const gap of gaps) {
      if (time >= gap.to) removed += gap.to - gap.from - keep
      else if (time > gap.from) removed += (time - gap.from) * (1 - keep / (gap.to - gap.from))
    }
    return time - start - removed
  }
  const time = (at: number): number => {
    let added = 0
    for (const gap of gaps) {
      if (at >= gap.at + keep) added += gap.to - gap.from - keep
      else if (at > gap.at) added += (at - gap.at) * ((gap.to - gap.from) / keep - 1)
    }
    return start + at + added
  }
  return { place, time, length: Math.max(1, end - start - cut), gaps, start }
}
