import type * as z from 'zod'
import { loadConfig } from '../../core/project/config.ts'
import { type Agent, type Context, createContext } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { execute } from '../../core/execute.ts'
import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import { violation } from '../../core/input/parse.ts'
import { parseMoment } from '../../support/text/moment.ts'
import { TIME_FORMS, toIsoTime } from '../../support/text/relative-time.ts'
import { createLogger } from '../../support/logger.ts'
import { waitForEvents } from '../../event/operations.ts'
import { showEvents } from '../../event/show.ts'
import { refuseUnknownTypes } from '../../event/types.ts'
import type { EventView } from '../../event/view.ts'
import { openProject, toProjectInfo } from '../../core/project/project.ts'
import { findAgentHost } from '../agent-host.ts'
import { print } from './print.ts'
import { ENTER, LEAVE } from './screen.ts'
import type { GlobalOptions } from '../run-operation.ts'
import type { Terminal } from './terminal.ts'
import { drawWatch, showNews } from './watch-screen.ts'

export interface WatchOptions extends GlobalOptions {
  /** Only the events, one in each line, instead of a picture of the whole. */
  readonly events?: boolean
  /** Checked like every other input, by the operation that it is for. */
  readonly since?: unknown
  readonly type?: unknown
}

const WAIT_SECONDS = 60

/** Ages and leases change although nothing happens. */
const REDRAW_SECONDS = 10

/** Ctrl-C arrives as a key while keys are read one by one. */
const QUIT_KEYS: ReadonlySet<string> = new Set(['q', 'Q', '\u0003'])

/** Follows events until it gets a signal or, on a screen, a key to quit. */
export async function watch(
  options: WatchOptions,
  terminal: Terminal,
  stop: AbortSignal,
): Promise<number> {
  await using project = await openProject(options.directory ?? terminal.cwd)
  const config = loadConfig(project.root, terminal.env, { actor: options.actor })
  const context = createContext({
    store: project.store,
    agent: viewerOf(config.actor, terminal),
    project: toProjectInfo(project, config),
    logger: createLogger({
      level: config.logLevel,
      target: 'waymark::cli',
      write: (line) => terminal.err(`${line}\n`),
    }),
    signal: stop,
  })
  const { events, since, type } = options
  const wantsEvents = events === true || since !== undefined || type !== undefined
  if (terminal.interactive && !wantsEvents && options.json !== true) {
    await showScreen(context, terminal)
    return 0
  }
  const show = options.json === true ? printJson : printLines
  for await (const { events, missed } of follow(context, options)) {
    if (missed) terminal.err(options.json === true ? MISSED_JSON : MISSED)
    if (events.length > 0) await show(terminal, events)
  }
  return 0
}

/** Watching needs no name: the person is known without one. */
function viewerOf(actor: string | undefined, { env }: Terminal): Agent {
  const host = findAgentHost(env)
  if (actor !== undefined) return { name: actor, surface: 'cli' }
  return { name: null, surface: 'cli', assumed: true, ...(host !== undefined && { host }) }
}

/** Draws the screen at once, with each change, and after a resize, until it is stopped. */
async function showScreen(context: Context, terminal: Terminal): Promise<void> {
  const quit = new AbortController()
  const resize = { since: new AbortController() }
  using _listening = terminal.listen({
    key: (key) => {
      if (QUIT_KEYS.has(key)) quit.abort()
    },
    resized: () => resize.since.abort(),
  })
  const stop = AbortSignal.any([context.signal, quit.signal])
  let cursor = await context.store.events.latest()
  terminal.out(ENTER)
  try {
    while (!stop.aborted) {
      resize.since = new AbortController()
      terminal.out(await drawWatch(context, terminal))
      const signal = AbortSignal.any([stop, resize.since.signal])
      const page = await nextPage(
        { ...context, signal },
        { since: cursor, seconds: REDRAW_SECONDS },
      )
      cursor = page?.next_cursor ?? cursor
    }
  } catch (error) {
    if (!stop.aborted) throw error
  } finally {
    terminal.out(LEAVE)
  }
}

/** For standard error: on standard output each line is an event. */
const MISSED =
  'older events were dropped before they were shown: `waymark status` shows where things stand\n'
const MISSED_JSON = `${JSON.stringify({ missed: true })}\n`

type News = Pick<z.output<typeof waitForEvents.output>, 'events' | 'missed'>

/** Events as they come, several at once if they came at once. */
async function* follow(
  context: Context,
  { since, type: types = [] }: WatchOptions,
): AsyncGenerator<News> {
  if (Array.isArray(types)) refuseUnknownTypes(types.map(String), 'type')
  let cursor = await cursorOf(context, since)
  while (!context.signal.aborted) {
    const page = await nextPage(context, {
      since: cursor,
      types,
      seconds: WAIT_SECONDS,
    })
    if (page === undefined) return
    cursor = page.next_cursor
    if (page.events.length > 0 || page.missed) yield page
  }
}

/** The number of an event, or a time as people type it. */
async function cursorOf({ store }: Context, since: unknown): Promise<number> {
  if (typeof since !== 'string') return Number(since ?? (await store.events.latest()))
  if (/^\d+$/.test(since)) return Number(since)
  const iso = toIsoTime(since, { now: MACHINE_CLOCK.now(), points: 'past' })
  const time = iso === undefined ? undefined : parseMoment(iso)
  if (time === undefined) {
    const message = `must be the number of an event or ${TIME_FORMS}`
    throw violation('since', 'bad_format', message, { value: since })
  }
  return await store.events.lastBefore(time)
}

async function nextPage(
  context: Context,
  input: Readonly<Record<string, unknown>>,
): Promise<z.output<typeof waitForEvents.output> | undefined> {
  try {
    return await execute(context, waitForEvents, input)
  } catch (error) {
    if (error instanceof Failure && error.code === 'cancelled') return undefined
    throw error
  }
}

async function printLines(terminal: Terminal, events: readonly EventView[]): Promise<void> {
  terminal.out(
    await print(terminal.interactive ? events.map(showNews) : showEvents({ events }), terminal),
  )
}

async function printJson(terminal: Terminal, events: readonly EventView[]): Promise<void> {
  terminal.out(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
}
