const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A length of time in one unit: `40 s`, `12 min`, `3 h`, `5 d`. */
export function toAge(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  if (whole < MINUTE) return `${whole} s`
  if (whole < 2 * HOUR) return `${Math.floor(whole / MINUTE)} min`
  return whole < 2 * DAY ? `${Math.floor(whole / HOUR)} h` : `${Math.floor(whole / DAY)} d`
}
