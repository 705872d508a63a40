/** Lines of a file, as an address names them: `L40`, `L40-L88`. */
export interface Lines {
  readonly start: number
  readonly end: number
}

/** The code of a link that opens the page may stand before it. */
const LINES = /(?:^|&)L(\d+)(?:-L(\d+))?$/

export function parseLines(hash: string): Lines | undefined {
  const [, first, last] = LINES.exec(hash) ?? []
  if (first === undefined) return undefined
  const [one, other] = [Number(first), Number(last ?? first)]
  return { start: Math.min(one, other), end: Math.max(one, other) }
}

export function formatLines({ start, end }: Lines): string {
  return start === end ? `#L${start}` : `#L${start}-L${end}`
}

export function isWithin(line: number, { start, end }: Lines): boolean {
  return start <= line && line <= end
}
