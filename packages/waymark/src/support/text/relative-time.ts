import { parseMoment, toTime } from './moment.ts'

/** How a text is read. All days and times of day are those of the process's time zone. */
export interface Reading {
  readonly now: number
  /** Which way `friday` and `90m` point, that do not say it. */
  readonly points: 'past' | 'future'
}

interface Read {
  readonly at: Date
  /** A whole day, a time of day, or a span from now. */
  readonly kind: 'day' | 'time' | 'span'
}

/** The forms for an error message. */
export const DATE_FORMS =
  'a date like 2026-11-15, today, tomorrow, yesterday, friday, next friday, next week, in 3 days or end of month'
export const TIME_FORMS =
  'a time like 2h ago, 90m, in 3 days, yesterday, tomorrow 9:00, next friday, 2026-11-15, 2026-11-15 14:00 or 2026-11-15T09:00:00Z'

const LONGEST = 100

/** A calendar date such as 2026-11-15, or undefined if the text is none. A date has no time of day. */
export function toCalendarDate(text: string, reading: Reading): string | undefined {
  const read = parse(text, reading)
  if (read === undefined || read.kind === 'time') return undefined
  const { at } = read
  const [month, day] = [at.getMonth() + 1, at.getDate()].map((part) =>
    String(part).padStart(2, '0'),
  )
  return `${at.getFullYear()}-${month}-${day}`
}

/** An ISO 8601 time in UTC, or undefined if the text is none. A day begins at its midnight; its end is a second before the next. */
export function toIsoTime(
  text: string,
  reading: Reading & { readonly isEnd?: boolean },
): string | undefined {
  const read = parse(text, reading)
  if (read === undefined) return undefined
  const { at, kind } = read
  const isWhole = kind === 'day' && reading.isEnd === true
  return toTime((isWhole ? endOf(at) : at).getTime()).replace('.000Z', 'Z')
}

function parse(text: string, reading: Reading): Read | undefined {
  const words = text.trim().replaceAll(/\s+/g, ' ').toLowerCase()
  if (words.length > LONGEST) return undefined
  const read = parseZoned(words) ?? parseClock(words, reading) ?? parseForm(words, reading)
  const year = read?.at.getFullYear() ?? NaN
  return year >= 1970 && year <= 9998 ? read : undefined
}

/** A time that names its zone. */
function parseZoned(words: string): Read | undefined {
  const at = words.includes('t') ? parseMoment(words.toUpperCase()) : undefined
  return at === undefined ? undefined : { at: new Date(at), kind: 'time' }
}

/** A time of day behind a day, or alone for today. */
function parseClock(words: string, reading: Reading): Read | undefined {
  const found = /^(?:(.+?)(?: at |t| ))?(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(words)
  if (found === null) return undefined
  const [, day = 'today', ...clock] = found
  const [hour = 0, minute = 0, second = 0] = clock.map((part) => Number(part ?? 0))
  const read = hour < 24 && minute < 60 && second < 60 ? parseForm(day, reading) : undefined
  if (read?.kind !== 'day') return undefined
  const at = read.at
  return { at: onDay(at, at.getDate(), hour, minute, second), kind: 'time' }
}

function parseForm(words: string, reading: Reading): Read | undefined {
  for (const { pattern, read } of FORMS) {
    const found = pattern.exec(words)
    if (found !== null)
      return read(
        found.slice(1).map((part) => part ?? ''),
        reading,
      )
  }
  return parseSpan(words, reading)
}

/** `in 3 days`, `an hour from now`, `1h 30m ago`, or `90m`, which points where the reading does. */
function parseSpan(words: string, { now, points }: Reading): Read | undefined {
  if (words.startsWith('in ')) return readSpan(words.slice(3), now, 1)
  if (words.endsWith(' from now')) return readSpan(words.slice(0, -' from now'.length), now, 1)
  if (words.endsWith('ago')) return readSpan(words.slice(0, -'ago'.length).trimEnd(), now, -1)
  return readSpan(words, now, points === 'past' ? -1 : 1)
}

type Parts = readonly string[]

interface Form {
  readonly pattern: RegExp
  readonly read: (parts: Parts, reading: Reading) => Read | undefined
}

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const WEEKDAY =
  '(sun(?:day)?|mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?)'
const UNIT =
  /^(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mo|months?|y|yrs?|years?)$/

/** The first form that fits is taken. */
const FORMS: readonly Form[] = [
  { pattern: /^now$/, read: (_, { now }) => ({ at: new Date(now), kind: 'span' }) },
  { pattern: /^today$/, read: (_, { now }) => dayFrom(now, 0) },
  { pattern: /^tomorrow$/, read: (_, { now }) => dayFrom(now, 1) },
  { pattern: /^yesterday$/, read: (_, { now }) => dayFrom(now, -1) },
  { pattern: new RegExp(`^(?:(next|last|this) )?${WEEKDAY}$`), read: readWeekday },
  { pattern: /^(next|last) (week|month|year)$/, read: readNeighbour },
  { pattern: /^end of (?:the |this )?(day|week|month|year)$/, read: readEnd },
  { pattern: /^(\d{4})-(\d\d)-(\d\d)$/, read: readDate },
]

/** `friday` may be today; `next friday` and `last friday` are not. */
function readWeekday([which = '', name = '']: Parts, { now, points }: Reading): Read {
  const ahead = (WEEKDAYS.indexOf(name.slice(0, 3)) - new Date(now).getDay() + 7) % 7
  if (which === 'last') return dayFrom(now, ahead - 7)
  if (which === 'next') return dayFrom(now, ahead === 0 ? 7 : ahead)
  const isBehind = which === '' && points === 'past' && ahead > 0
  return dayFrom(now, isBehind ? ahead - 7 : ahead)
}

function readNeighbour([which, unit = '']: Parts, { now }: Reading): Read {
  const sign = which === 'next' ? 1 : -1
  if (unit === 'week') return dayFrom(now, 7 * sign)
  const at = addMonths(new Date(now), sign * (unit === 'year' ? 12 : 1))
  return dayFrom(at.getTime(), 0)
}

/** Its last second; a week ends on Sunday. */
function readEnd([unit = '']: Parts, { now }: Reading): Read {
  const at = new Date(now)
  const ends: Readonly<Record<string, Date>> = {
    week: onDay(at, at.getDate() + ((7 - at.getDay()) % 7)),
    month: new Date(at.getFullYear(), at.getMonth() + 1, 0),
    year: new Date(at.getFullYear(), 11, 31),
  }
  return { at: endOf(ends[unit] ?? at), kind: 'day' }
}

function readDate(parts: Parts): Read | undefined {
  const [year = 0, month = 0, day = 0] = parts.map(Number)
  const at = new Date(year, month - 1, day)
  // 31 February rolls over into March.
  const isReal = at.getFullYear() === year && at.getMonth() === month - 1 && at.getDate() === day
  return isReal ? { at, kind: 'day' } : undefined
}

/** Days and longer units keep the time of day across clock changes; hours and shorter ones are exact. */
function readSpan(text: string, now: number, sign: 1 | -1): Read | undefined {
  const parts = toParts(text)
  if (parts === undefined) return undefined
  const sum = { months: 0, days: 0, seconds: 0 }
  for (const { amount, unit } of parts) {
    const count = sign * amount
    if (unit.startsWith('mo')) sum.months += count
    else if (unit.startsWith('y')) sum.months += 12 * count
    else if (unit.startsWith('w')) sum.days += 7 * count
    else if (unit.startsWith('d')) sum.days += count
    else sum.seconds += count * (unit.startsWith('h') ? 3600 : unit.startsWith('m') ? 60 : 1)
  }
  const moved = addDays(addMonths(new Date(now), sum.months), sum.days)
  return { at: new Date(moved.getTime() + sum.seconds * 1000), kind: 'span' }
}

const ONE: ReadonlySet<string> = new Set(['a', 'an', 'one'])

/** `1h30m`, `2 days, 3 hours` or `a week and a day`; undefined for anything else. */
function toParts(text: string) {
  const words = text.split(' ').flatMap((word) => word.match(/\d+|[^\d,]+|,/g) ?? [])
  const parts: { amount: number; unit: string }[] = []
  for (let at = 0; at < words.length; at += 2) {
    if (parts.length > 0 && words[at] === ',') at += 1
    if (parts.length > 0 && words[at] === 'and') at += 1
    const [amount = '', unit = ''] = words.slice(at, at + 2)
    const isAmount = ONE.has(amount) || /^\d{1,6}$/.test(amount)
    if (!isAmount || !UNIT.test(unit)) return undefined
    parts.push({ amount: ONE.has(amount) ? 1 : Number(amount), unit })
  }
  return parts.length === 0 ? undefined : parts
}

function dayFrom(now: number, days: number): Read {
  const at = new Date(now)
  return { at: onDay(at, at.getDate() + days), kind: 'day' }
}

/** A day of the month of `at`, or beyond it, at a time of day. */
function onDay(at: Date, day: number, hour = 0, minute = 0, second = 0): Date {
  return new Date(at.getFullYear(), at.getMonth(), day, hour, minute, second)
}

function endOf(at: Date): Date {
  return onDay(at, at.getDate(), 23, 59, 59)
}

function addDays(at: Date, days: number): Date {
  // Not set anew without need: in the hour that a clock shows twice, that would choose the first.
  if (days === 0) return at
  const moved = new Date(at)
  moved.setDate(moved.getDate() + days)
  return moved
}

/** The same day of another month, or its last one: a month after 31 January is 28 February. */
function addMonths(at: Date, months: number): Date {
  if (months === 0) return at
  const last = new Date(at.getFullYear(), at.getMonth() + months + 1, 0).getDate()
  const moved = new Date(at)
  moved.setMonth(moved.getMonth() + months, Math.min(at.getDate(), last))
  return moved
}
