import { MACHINE_CLOCK } from '../../../core/clock/machine-clock.ts'
import { violation } from '../../../core/input/parse.ts'
import {
  DATE_FORMS,
  TIME_FORMS,
  toCalendarDate,
  toIsoTime,
} from '../../../support/text/relative-time.ts'
import type { Operation } from '../../../core/operation.ts'
import type { Flag } from './flags.ts'

type Given = Readonly<Record<string, unknown>>

/** Fields whose words point back: `friday` is the last one. */
const PAST: ReadonlySet<string> = new Set([
  'since',
  'since-time',
  'created-after',
  'created-before',
])

/** Replaces dates and times as people type them by what operations take: `tomorrow`, `2h ago`. */
export function toIsoTimes({ name }: Operation, flags: readonly Flag[], given: Given): Given {
  const typed = flags.some((flag) => flag.name === 'since-time') ? withoutCursor(given) : given
  const times = flags
    .filter((flag) => flag.time !== undefined && typed[flag.name] !== undefined)
    .map((flag) => [flag.name, toIso(flag, typed[flag.name], name === NAMES_COMMITS)])
  const query = name === 'search.query' ? { query: withIsoFilters(typed['query']) } : {}
  return { ...typed, ...query, ...Object.fromEntries(times) }
}

/** Takes the name of a commit instead of a time. */
const NAMES_COMMITS = 'code.read'
const COMMIT = /^[0-9a-f]{4,}$/i

/** Where `since` is the number of an event, anything else is a time. */
function withoutCursor({ since, ...given }: Given): Given {
  const isTime = typeof since === 'string' && !/^\d+$/.test(since)
  return isTime ? { ...given, 'since-time': since } : { ...given, since }
}

function toIso(flag: Flag, value: unknown, mayBeCommit: boolean): unknown {
  if (typeof value !== 'string' || (flag.nullable === true && value === 'null')) return value
  if (mayBeCommit && COMMIT.test(value)) return value
  const { name, time, path } = flag
  const reading = {
    now: MACHINE_CLOCK.now(),
    points: PAST.has(name) ? ('past' as const) : ('future' as const),
    isEnd: name === 'created-before',
  }
  const iso = time === 'date' ? toCalendarDate(value, reading) : toIsoTime(value, reading)
  if (iso !== undefined || mayBeCommit) return iso ?? value
  const forms = time === 'date' ? DATE_FORMS : TIME_FORMS
  // On the command line it is another value of --since.
  const field = name === 'since-time' ? 'since' : path.join('.')
  throw violation(field, 'bad_format', `must be ${forms}`, { value })
}

const CREATED = /(?<=^|\s)created:([<>]?=?)([a-z0-9]+)(?=\s|$)/gi

/** `created:>yesterday` in the words of a search. */
function withIsoFilters(query: unknown): unknown {
  if (typeof query !== 'string') return query
  return query.replaceAll(CREATED, (all, sign: string, word: string) => {
    const reading = { now: MACHINE_CLOCK.now(), points: 'past' as const }
    const toIso = (text: string, isEnd: boolean) => toIsoTime(text, { ...reading, isEnd })
    if (sign !== '') {
      const iso = toIso(word, sign.startsWith('<'))
      return iso === undefined ? all : `created:${sign}${iso}`
    }
    // The day is a local one; a date alone would be that of a day in UTC.
    const day = toCalendarDate(word, reading)
    return day === undefined ? all : `created:>=${toIso(day, false)} created:<=${toIso(day, true)}`
  })
}
