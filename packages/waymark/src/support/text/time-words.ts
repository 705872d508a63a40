import { parseMoment } from './moment.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const DAYS_AS_WORDS = 7

/**
 * A time, or a calendar date, as words for a person in this time zone: `3 min ago`, `yesterday 14:05`, `in 2 days`,
 * `2026-10-03`. Text that is neither stays as it is.
 */
export function toTimeWords(text: string, now: number): string {
  const at = toLocal(text)
  if (at === undefined) return text
  const isDate = text.length === DATE_LENGTH
  const minutes = Math.round((at - now) / MINUTE)
  if (!isDate && Math.abs(minutes) < 60) return toMinutes(minutes, at - now)
  const days = daysBetween(now, at)
  const name = DAY_NAMES[days]
  if (name !== undefined) return isDate ? name : `${name} ${toClock(at)}`
  if (Math.abs(days) < DAYS_AS_WORDS) return days < 0 ? `${-days} days ago` : `in ${days} days`
  return toDate(at)
}

/** Whether a calendar date, or a time, is over. */
export function isPast(text: string, now: number): boolean {
  const at = toLocal(text)
  if (at === undefined) return false
  return text.length === DATE_LENGTH ? daysBetween(now, at) < 0 : at < now
}

/** The same time without milliseconds, for programs that read lines. */
export function toStableTime(text: string): string {
  return text.replace(/\.\d{1,9}Z$/, 'Z')
}

/** The time of day in this time zone: `14:05`. */
export function toClock(at: number): string {
  const time = new Date(at)
  return [time.getHours(), time.getMinutes()].map(twoDigits).join(':')
}

const DATE_LENGTH = '2026-11-15'.length

const DAY_NAMES: Readonly<Record<number, string>> = { [-1]: 'yesterday', 0: 'today', 1: 'tomorrow' }

/** A date is the day that it names wherever the reader is, not midnight in UTC. */
function toLocal(text: string): number | undefined {
  const at = parseMoment(text)
  if (at === undefined || text.length !== DATE_LENGTH) return at
  const date = new Date(at)
  return new Date(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()).getTime()
}

function toMinutes(minutes: number, milliseconds: number): string {
  if (minutes === 0) return milliseconds <= 0 ? 'just now' : 'in less than a minute'
  return minutes < 0 ? `${-minutes} min ago` : `in ${minutes} min`
}

/** Rounded, because a day on which the clocks change has 23 or 25 hours. */
function daysBetween(from: number, to: number): number {
  return Math.round((startOfDay(to) - startOfDay(from)) / DAY)
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0)
}

function toDate(at: number): string {
  const date = new Date(at)
  return [date.getFullYear(), ...[date.getMonth() + 1, date.getDate()].map(twoDigits)].join('-')
}

function twoDigits(part: number): string {
  return String(part).padStart(2, '0')
}
