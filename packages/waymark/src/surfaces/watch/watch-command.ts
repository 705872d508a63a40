import { loadConfig } from '../../core/project/config.ts'
import { type Agent, createContext } from '../../core/context.ts'
import { createLogger } from '../../support/logger.ts'
import { showEvents } from '../../event/show.ts'
import type { EventView } from '../../event/view.ts'
import { openProject, toProjectInfo } from '../../core/project/project.ts'
import { findAgentHost } from '../agent-host.ts'
import { remoteOf } from '../join/team-client.ts'
import type { GlobalOptions } from '../run-operation.ts'
import { print } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { follow } from './follow.ts'
import { showScreen } from './live-screen.ts'
import { showNews } from './sections.ts'

export interface WatchOptions extends GlobalOptions {
  /** Only the events, one in each line, instead of a picture of the whole. */
  readonly events?: boolean
  /** Checked like every other input, by the operation that it is for. */
  readonly since?: unknown
  readonly type?: unknown
}

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
    code: project.code,
    ...remoteOf(project.state, terminal.env),
    coordination: config.coordination,
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
    await showScreen(context, terminal, () => project.userName())
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

/** For standard error: on standard output each line is an event. */
const MISSED =
  'older events were dropped before they were shown: `waymark status` shows where things stand\n'
const MISSED_JSON = `${JSON.stringify({ missed: true })}\n`

async function printLines(terminal: Terminal, events: readonly EventView[]): Promise<void> {
  terminal.out(
    await print(terminal.interactive ? events.map(showNews) : showEvents({ events }), terminal),
  )
}

async function printJson(terminal: Terminal, events: readonly EventView[]): Promise<void> {
  terminal.out(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
}
