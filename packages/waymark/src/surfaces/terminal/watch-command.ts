import type * as z from 'zod'
import { loadConfig } from '../../core/project/config.ts'
import { type Agent, type Context, createContext } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { execute } from '../../core/execute.ts'
import { createLogger } from '../../support/logger.ts'
import { listAgents } from '../../agent/operations.ts'
import { listEvents, waitForEvents } from '../../event/operations.ts'
import { showEvents } from '../../event/show.ts'
import type { EventView } from '../../event/view.ts'
import { projectStatus } from '../../project/operations.ts'
import type { Operation } from '../../core/operation.ts'
import { readyTasks } from '../../task/queue/operations.ts'
import { openProject, toProjectInfo } from '../../core/project/project.ts'
import { findQuestionsForPerson } from '../../message/questions.ts'
import { showQuestions } from '../../message/show.ts'
import { findAgentHost } from '../agent-host.ts'
import { print } from './print.ts'
import { render } from './render.ts'
import type { GlobalOptions } from '../run-operation.ts'
import type { Terminal } from './terminal.ts'

export interface WatchOptions extends GlobalOptions {
  /** Only the events, one in each line, instead of a picture of the whole. */
  readonly events?: boolean
  /** Checked like every other input, by the operation that it is for. */
  readonly since?: unknown
  readonly type?: unknown
}

const WAIT_SECONDS = 60
const EVENTS_SHOWN = 12
const TASKS_SHOWN = 10

/** Back to the upper left corner, and nothing below it. */
const CLEAR = '\u001b[H\u001b[2J'

/** Follows events until it gets a signal. */
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
  const isPicture = terminal.interactive && options.events !== true && options.json !== true
  const show = isPicture ? draw : options.json === true ? printJson : printLines
  for await (const { events, missed } of follow(context, options, isPicture)) {
    if (missed) terminal.err(options.json === true ? MISSED_JSON : MISSED)
    if (isPicture || events.length > 0) await show(context, terminal, events)
  }
  return 0
}

/** Watching needs no name: the person is known without one. */
function viewerOf(actor: string | undefined, { env }: Terminal): Agent {
  const host = findAgentHost(env)
  if (actor !== undefined) return { name: actor, surface: 'cli' }
  return { name: null, surface: 'cli', assumed: true, ...(host !== undefined && { host }) }
}

/** For standard error: on standard output each line is an event. */
const MISSED =
  'older events were dropped before they were shown: `waymark status` shows where things stand\n'
const MISSED_JSON = `${JSON.stringify({ missed: true })}\n`

type News = Pick<z.output<typeof waitForEvents.output>, 'events' | 'missed'>

/** Events as they come, several at once if they came at once. With `atOnce` something comes immediately. */
async function* follow(
  context: Context,
  { since, type: types = [] }: WatchOptions,
  atOnce: boolean,
): AsyncGenerator<News> {
  const start = atOnce ? await earlier(context) : await context.store.events.latest()
  let cursor = Number(since ?? start)
  if (atOnce) yield { events: [], missed: false }
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

async function earlier({ store }: Context): Promise<number> {
  return Math.max(0, (await store.events.latest()) - EVENTS_SHOWN)
}

async function draw(context: Context, terminal: Terminal): Promise<void> {
  const since = await earlier(context)
  const parts: readonly (readonly [Operation, Readonly<Record<string, unknown>>])[] = [
    [projectStatus, {}],
    [listAgents, {}],
    [readyTasks, { limit: TASKS_SHOWN }],
    [listEvents, { since }],
  ]
  const questions = showQuestions(await findQuestionsForPerson(context))
  const texts = questions.length === 0 ? [] : [await print(questions, terminal)]
  for (const [operation, input] of parts) {
    texts.push(await render(operation, await execute(context, operation, input), terminal))
  }
  terminal.out(`${CLEAR}${texts.join('\n')}`)
}

async function printLines(
  _context: Context,
  terminal: Terminal,
  events: readonly EventView[],
): Promise<void> {
  terminal.out(await print(showEvents({ events }), { ...terminal, interactive: false }))
}

async function printJson(
  _context: Context,
  terminal: Terminal,
  events: readonly EventView[],
): Promise<void> {
  terminal.out(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
}
