const UNITS = [
  ['year', 365.25 * 24 * 3600],
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** A length of time in its largest unit that is worth naming, such as `2 days` or `90 minutes`. */
export function describeDuration(milliseconds: number): string {
  const seconds = Math.round(Math.abs(milliseconds) / 1000)
  const [unit, length] = UNITS.find(([, length]) => seconds >= 2 * length) ?? ['second', 1]
  const count = Math.round(seconds / length)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** How one clock stands to another: `2 days ahead of`. */
export function describeLead(milliseconds: number): string {
  return `${describeDuration(milliseconds)} ${milliseconds < 0 ? 'behind' : 'ahead of'}`
}
