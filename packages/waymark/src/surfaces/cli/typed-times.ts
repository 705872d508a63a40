import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import { violation } from '../../core/input/parse.ts'
import {
  DATE_FORMS,
  TIME_FORMS,
  toCalendarDate,
  toIsoTime,
} from '../../support/text/relative-time.ts'
import type { Operation } from '../../core/operation.ts'
import type { Flag } from './flags.ts'

type Given = Readonly<Record<string, unknown>>

/** Fields whose words point back: `friday` is the last one. */
const PAST: ReadonlySet<string> = new Set([
  'since',
  'since-time',
  'created-after',
  'created-before',
])

/** Takes the name of a commit instead of a time. */
const NAMES_COMMITS = 'code.read'
const COMMIT = /^[0-9a-f]{4,}$/i

/** Replaces dates and times as people type them by what operations take: `tomorrow`, `2h ago`. */
export function toIsoTimes({ name }: Operation, flags: readonly Flag[], given: Given): Given {
  const read = name === NAMES_COMMITS ? toIsoOrCommit : toIso
  const typed = flags.some((flag) => flag.name === 'since-time') ? withoutCursor(given) : given
  const times = flags
    .filter((flag) => flag.time !== undefined && typed[flag.name] !== undefined)
    .map((flag) => [flag.name, read(flag, typed[flag.name])])
  return { ...typed, ...Object.fromEntries(times) }
}

/** Where `since` is the number of an event, anything else is a time. */
function withoutCursor({ since, ...given }: Given): Given {
  const isTime = typeof since === 'string' && !/^\d+$/.test(since)
  return isTime ? { ...given, 'since-time': since } : { ...given, since }
}

function toIsoOrCommit(flag: Flag, value: unknown): unknown {
  if (typeof value === 'string' && COMMIT.test(value)) return value
  try {
    return toIso(flag, value)
  } catch {
    return value
  }
}

function toIso(flag: Flag, value: unknown): unknown {
  if (typeof value !== 'string' || (flag.nullable === true && value === 'null')) return value
  const { name, time } = flag
  const now = MACHINE_CLOCK.now()
  const points = PAST.has(name) ? ('past' as const) : ('future' as const)
  const iso =
    time === 'date'
      ? toCalendarDate(value, { now, points })
      : toIsoTime(value, { now, points, isEnd: name === 'created-before' })
  if (iso !== undefined) return iso
  const forms = time === 'date' ? DATE_FORMS : TIME_FORMS
  throw violation(flag.path.join('.'), 'bad_format', `must be ${forms}`, { value })
}
