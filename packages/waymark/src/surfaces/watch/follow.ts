import { setTimeout as pause } from 'node:timers/promises'
import type * as z from 'zod'
import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import type { Context } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { execute } from '../../core/execute.ts'
import { violation } from '../../core/input/parse.ts'
import { listEvents, waitForEvents } from '../../event/operations.ts'
import { refuseUnknownTypes } from '../../event/types.ts'
import { parseMoment } from '../../support/text/moment.ts'
import { TIME_FORMS, toIsoTime } from '../../support/text/relative-time.ts'
import type { WatchOptions } from './watch-command.ts'

const WAIT_SECONDS = 60
/** How long to wait before a team server that is away is asked again. */
const OFFLINE_MS = 3000

type News = Pick<z.output<typeof waitForEvents.output>, 'events' | 'missed'>

/** Events as they come, several at once if they came at once. */
export async function* follow(
  context: Context,
  { since, type: types = [] }: WatchOptions,
): AsyncGenerator<News> {
  if (Array.isArray(types)) refuseUnknownTypes(types.map(String), 'type')
  // The first page may be read after the signal, like all others.
  let cursor = await cursorOf({ ...context, signal: new AbortController().signal }, since)
  while (!context.signal.aborted) {
    const page = await nextPage(context, {
      since: cursor,
      types,
      seconds: WAIT_SECONDS,
    })
    if (page === undefined) return
    if (page === 'offline') continue
    cursor = page.next_cursor
    if (page.events.length > 0 || page.missed) yield page
  }
}

/** The number of an event, or a time as people type it. */
async function cursorOf(context: Context, since: unknown): Promise<number> {
  if (typeof since !== 'string') return Number(since ?? (await latestEvent(context)))
  if (/^\d+$/.test(since)) return Number(since)
  const iso = toIsoTime(since, { now: MACHINE_CLOCK.now(), points: 'past' })
  const time = iso === undefined ? undefined : parseMoment(iso)
  if (time === undefined) {
    const message = `must be the number of an event or ${TIME_FORMS}`
    throw violation('since', 'bad_format', message, { value: since })
  }
  const last = { until_time: new Date(time).toISOString(), newest: true, limit: 1 }
  return (await execute(context, listEvents, last)).events[0]?.id ?? 0
}

export async function latestEvent(context: Context): Promise<number> {
  return (await execute(context, listEvents, { newest: true, limit: 1 })).latest
}

export async function nextPage(
  context: Context,
  input: Readonly<Record<string, unknown>>,
): Promise<z.output<typeof waitForEvents.output> | 'offline' | undefined> {
  try {
    return await execute(context, waitForEvents, input)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.code === 'cancelled') return undefined
    if (context.remote === undefined || error.code !== 'storage_unavailable') throw error
    context.logger.warn(error.message)
    await pause(OFFLINE_MS, undefined, { signal: context.signal }).catch(() => {})
    return 'offline'
  }
}
