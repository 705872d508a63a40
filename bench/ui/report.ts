/** One line of the report. */
export interface Row {
  readonly bar: string
  readonly what: string
  readonly measured: string
  readonly limit: string
  readonly isMet: boolean
}

/** A figure that must not be above its limit. */
export function bar(id: string, what: string, value: number, limit: number, unit: string): Row {
  const digits = Math.abs(value) < 10 ? 2 : 0
  return {
    bar: id,
    what,
    measured: `${value.toFixed(digits)} ${unit}`,
    limit: `${limit} ${unit}`,
    isMet: value <= limit,
  }
}

/** A figure that has no limit of its own: it says how busy the machine was, or what a bar is compared with. */
export function told(id: string, what: string, value: number, unit: string): Row {
  return { ...bar(id, what, value, Infinity, unit), limit: '–', isMet: true }
}

export function printRows(rows: readonly Row[]): void {
  const width = Math.max(...rows.map(({ what }) => what.length))
  for (const { bar: id, what, measured, limit, isMet } of rows) {
    const verdict = isMet ? 'met' : 'NOT MET'
    console.log(
      `${id.padStart(3)}  ${what.padEnd(width)}  ${measured.padStart(12)}  at most ${limit.padStart(9)}  ${verdict}`,
    )
  }
}
