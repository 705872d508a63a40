import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  DATE_FORMS,
  TIME_FORMS,
  toCalendarDate,
  toIsoTime,
} from '../../src/support/text/relative-time.ts'

const ZONE = process.env['TZ']
beforeAll(() => void (process.env['TZ'] = 'Europe/Berlin'))
afterAll(() => {
  if (ZONE === undefined) delete process.env['TZ']
  else process.env['TZ'] = ZONE
})

/** Monday 16 November 2026, 15:30 in Berlin, one hour ahead of UTC. */
const MONDAY = '2026-11-16T14:30:00Z'

describe('a date as people type it', () => {
  it.each([
    ['today', '2026-11-16'],
    ['Tomorrow', '2026-11-17'],
    ['yesterday', '2026-11-15'],
    ['monday', '2026-11-16'],
    ['next monday', '2026-11-23'],
    ['last monday', '2026-11-09'],
    ['friday', '2026-11-20'],
    ['fri', '2026-11-20'],
    ['this friday', '2026-11-20'],
    ['next friday', '2026-11-20'],
    ['last friday', '2026-11-13'],
    ['thurs', '2026-11-19'],
    ['next week', '2026-11-23'],
    ['last week', '2026-11-09'],
    ['next month', '2026-12-16'],
    ['last year', '2025-11-16'],
    ['end of day', '2026-11-16'],
    ['end of week', '2026-11-22'],
    ['end of month', '2026-11-30'],
    ['end of the month', '2026-11-30'],
    ['end of year', '2026-12-31'],
    ['in 3 days', '2026-11-19'],
    ['3 days', '2026-11-19'],
    ['3d', '2026-11-19'],
    ['in a week', '2026-11-23'],
    ['2 weeks from now', '2026-11-30'],
    ['3 days ago', '2026-11-13'],
    ['in 10h', '2026-11-17'],
    ['  in   3   days ', '2026-11-19'],
    ['2026-11-20', '2026-11-20'],
    ['2028-02-29', '2028-02-29'],
  ])('%s is %s [date-forms]', (text, date) => {
    expect(toCalendarDate(text, { now: Date.parse(MONDAY), points: 'future' })).toBe(date)
  })

  it.each([
    ['sun sunday', '2026-11-22'],
    ['mon monday', '2026-11-16'],
    ['tue tues tuesday', '2026-11-17'],
    ['wed wednesday', '2026-11-18'],
    ['thu thur thurs thursday', '2026-11-19'],
    ['fri friday', '2026-11-20'],
    ['sat saturday', '2026-11-21'],
  ])('%s is %s [weekdays]', (names, date) => {
    const reading = { now: Date.parse(MONDAY), points: 'future' as const }
    for (const name of names.split(' ')) {
      expect(toCalendarDate(name, reading), name).toBe(date)
      expect(toCalendarDate(`this ${name}`, reading), name).toBe(date)
      const next = name.startsWith('mon') ? '2026-11-23' : date
      expect(toCalendarDate(`next ${name}`, reading), name).toBe(next)
      const last = new Date(Date.parse(date) - 7 * 86_400_000).toISOString().slice(0, 10)
      expect(toCalendarDate(`last ${name}`, reading), name).toBe(last)
    }
  })

  it.each([
    ['next week', '2026-11-23'],
    ['next month', '2026-12-16'],
    ['next year', '2027-11-16'],
    ['last week', '2026-11-09'],
    ['last month', '2026-10-16'],
    ['last year', '2025-11-16'],
    ['end of this day', '2026-11-16'],
    ['end of this week', '2026-11-22'],
    ['end of this month', '2026-11-30'],
    ['end of this year', '2026-12-31'],
    ['end of the day', '2026-11-16'],
    ['end of the week', '2026-11-22'],
    ['end of the year', '2026-12-31'],
  ])('%s is %s [spans-by-name]', (text, date) => {
    expect(toCalendarDate(text, { now: Date.parse(MONDAY), points: 'future' })).toBe(date)
  })

  it('is the local day, also where UTC has another one', () => {
    const now = Date.parse('2026-11-16T23:30:00Z')
    expect(toCalendarDate('today', { now, points: 'future' })).toBe('2026-11-17')
  })

  it.each([
    ['2026-01-31', 'next month', '2026-02-28'],
    ['2028-01-31', 'in 1 month', '2028-02-29'],
    ['2026-01-31', 'in 3 months', '2026-04-30'],
    ['2026-03-31', 'a month ago', '2026-02-28'],
    ['2028-02-29', 'next year', '2029-02-28'],
    ['2026-12-31', 'tomorrow', '2027-01-01'],
    ['2026-12-31', 'end of month', '2026-12-31'],
    ['2026-02-10', 'end of month', '2026-02-28'],
    ['2026-11-22', 'end of week', '2026-11-22'],
    ['2026-10-24', 'tomorrow', '2026-10-25'],
    ['2026-10-25', 'in 1 day', '2026-10-26'],
  ])('from %s on, %s is %s', (day, text, date) => {
    const now = Date.parse(`${day}T12:00:00Z`)
    expect(toCalendarDate(text, { now, points: 'future' })).toBe(date)
  })

  it.each([
    'soon',
    '',
    '2026-02-31',
    '2026-13-01',
    '2026-1-1',
    '20.11.2026',
    'tomorrow 14:00',
    '2026-11-20T14:00:00Z',
    'next',
    'next day of the week',
    'monurday',
    'in days',
    'in 3',
    '3 parsecs ago',
    'in 3 days ago',
    '999999 years',
    '1969-12-31',
    '9999-12-31',
    '3'.repeat(1000),
    'today\u001b[31m',
  ])('%j is none [wrong-dates]', (text) => {
    expect(toCalendarDate(text, { now: Date.parse(MONDAY), points: 'future' })).toBeUndefined()
  })
})

describe('a time as people type it', () => {
  it.each([
    ['now', '2026-11-16T14:30:00Z'],
    ['2h ago', '2026-11-16T12:30:00Z'],
    ['1 hour ago', '2026-11-16T13:30:00Z'],
    ['an hour ago', '2026-11-16T13:30:00Z'],
    ['90m', '2026-11-16T13:00:00Z'],
    ['90 min ago', '2026-11-16T13:00:00Z'],
    ['1h30m', '2026-11-16T13:00:00Z'],
    ['1 hour and 30 minutes ago', '2026-11-16T13:00:00Z'],
    ['45s', '2026-11-16T14:29:15Z'],
    ['in 2 hours', '2026-11-16T16:30:00Z'],
    ['in 3 days', '2026-11-19T14:30:00Z'],
    ['1 mo ago', '2026-10-16T13:30:00Z'],
    ['today', '2026-11-15T23:00:00Z'],
    ['yesterday', '2026-11-14T23:00:00Z'],
    ['friday', '2026-11-12T23:00:00Z'],
    ['monday', '2026-11-15T23:00:00Z'],
    ['next friday', '2026-11-19T23:00:00Z'],
    ['end of month', '2026-11-30T22:59:59Z'],
    ['9:00', '2026-11-16T08:00:00Z'],
    ['yesterday 14:05', '2026-11-15T13:05:00Z'],
    ['tomorrow at 9:00', '2026-11-17T08:00:00Z'],
    ['next friday 17:30', '2026-11-20T16:30:00Z'],
    ['2026-11-20', '2026-11-19T23:00:00Z'],
    ['2026-11-20 14:00', '2026-11-20T13:00:00Z'],
    ['2026-11-20T14:00', '2026-11-20T13:00:00Z'],
    ['2026-07-20 14:00:30', '2026-07-20T12:00:30Z'],
    ['2026-11-20T14:00:00Z', '2026-11-20T14:00:00Z'],
    ['2026-11-20T14:00:00.250+02:00', '2026-11-20T12:00:00.250Z'],
  ])('%s is %s [time-forms]', (text, time) => {
    expect(toIsoTime(text, { now: Date.parse(MONDAY), points: 'past' })).toBe(time)
  })

  it.each([
    ['s sec secs second seconds', '2026-11-16T14:29:58Z', '2026-11-16T14:30:02Z'],
    ['m min mins minute minutes', '2026-11-16T14:28:00Z', '2026-11-16T14:32:00Z'],
    ['h hr hrs hour hours', '2026-11-16T12:30:00Z', '2026-11-16T16:30:00Z'],
    ['d day days', '2026-11-14T14:30:00Z', '2026-11-18T14:30:00Z'],
    ['w wk wks week weeks', '2026-11-02T14:30:00Z', '2026-11-30T14:30:00Z'],
    ['mo month months', '2026-09-16T13:30:00Z', '2027-01-16T14:30:00Z'],
    ['y yr yrs year years', '2024-11-16T14:30:00Z', '2028-11-16T14:30:00Z'],
  ])('2 of %s lie at %s and %s [time-units]', (units, before, after) => {
    const reading = { now: Date.parse(MONDAY), points: 'past' as const }
    for (const unit of units.split(' ')) {
      for (const text of [`2 ${unit} ago`, `2${unit} ago`, `2${unit}`])
        expect(toIsoTime(text, reading), text).toBe(before)
      for (const text of [`in 2 ${unit}`, `in 2${unit}`, `2 ${unit} from now`])
        expect(toIsoTime(text, reading), text).toBe(after)
    }
  })

  it.each([
    ['date', DATE_FORMS, toCalendarDate],
    ['time', TIME_FORMS, toIsoTime],
  ])('each form of a %s that an error names is one [named-forms]', (_, forms, parse) => {
    const named = forms.replace(/^a \w+ like /, '').split(/, | or /)
    expect(named.length).toBeGreaterThan(8)
    const reading = { now: Date.parse(MONDAY), points: 'future' as const }
    expect(named.filter((form) => parse(form, reading) === undefined)).toEqual([])
  })

  it('points ahead where a plan is made', () => {
    const future = { now: Date.parse(MONDAY), points: 'future' as const }
    expect(toIsoTime('90m', future)).toBe('2026-11-16T16:00:00Z')
    expect(toIsoTime('friday', future)).toBe('2026-11-19T23:00:00Z')
  })

  it('the end of a day is where a filter includes it', () => {
    const before = { now: Date.parse(MONDAY), points: 'past' as const, isEnd: true }
    expect(toIsoTime('yesterday', before)).toBe('2026-11-15T22:59:59Z')
    expect(toIsoTime('2h ago', before)).toBe('2026-11-16T12:30:00Z')
  })

  // Berlin: 29 March 2026, 2:00 becomes 3:00; 25 October 2026, 3:00 becomes 2:00.
  it.each([
    ['2026-03-28T11:00:00Z', 'in 1 day', '2026-03-29T10:00:00Z'],
    ['2026-03-28T11:00:00Z', 'in 24 hours', '2026-03-29T11:00:00Z'],
    ['2026-03-28T11:00:00Z', 'tomorrow 2:30', '2026-03-29T01:30:00Z'],
    ['2026-03-29T10:00:00Z', 'today', '2026-03-28T23:00:00Z'],
    ['2026-03-29T10:00:00Z', 'tomorrow', '2026-03-29T22:00:00Z'],
    ['2026-10-25T11:00:00Z', 'yesterday', '2026-10-23T22:00:00Z'],
    ['2026-10-25T11:00:00Z', 'a week ago', '2026-10-18T10:00:00Z'],
    ['2026-10-25T11:00:00Z', 'today 2:30', '2026-10-25T00:30:00Z'],
    ['2026-10-25T01:45:00Z', '30m ago', '2026-10-25T01:15:00Z'],
    ['2026-10-25T01:45:00Z', 'in 0 days', '2026-10-25T01:45:00Z'],
  ])('at %s, across a change of the clock, %s is %s', (now, text, time) => {
    const points = text.includes('ago') ? 'past' : 'future'
    expect(toIsoTime(text, { now: Date.parse(now), points })).toBe(time)
  })

  it.each([
    'soon',
    '25:00',
    '9:60',
    'tomorrow 9',
    '2026-02-31 10:00',
    '2026-11-20T14:00:00+2',
    '2h later',
    '-2h',
  ])('%j is none [wrong-times]', (text) => {
    expect(toIsoTime(text, { now: Date.parse(MONDAY), points: 'past' })).toBeUndefined()
  })
})
