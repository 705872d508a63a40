import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../../core/context.ts'
import { execute } from '../../core/execute.ts'
import { line } from '../../core/show.ts'
import { getEntity } from '../../entity/operations.ts'
import { showCounts } from '../../project/show.ts'
import { showStatus } from '../../project/status.ts'
import { print, toCell } from '../terminal/print.ts'
import { drawScreen, drawText, ENTER, LEAVE } from '../terminal/screen.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type Choice, isSame } from './choice.ts'
import { latestEvent, nextPage } from './follow.ts'
import { loadParts } from './sections.ts'
import { type Effect, lastLine, press, START, type WatchState } from './state.ts'

/** Ages and leases change although nothing happens. */
const REDRAW_SECONDS = 10
/** At most ten pictures a second, however much happens. */
const FRAME_MS = 100

/** Draws the screen at once, with each change and each key, until the person quits. */
export async function showScreen(
  context: Context,
  terminal: Terminal,
  userName: () => Promise<string | null>,
): Promise<void> {
  let state: WatchState = START
  let choices: readonly Choice[] = []
  const quit = new AbortController()
  // Aborted by what calls for a new picture: a key, a resize, the end of an act.
  let wait = new AbortController()
  const change = (next: Partial<WatchState>): void => {
    state = { ...state, ...next }
    wait.abort()
  }
  const apply = async (effect: Effect): Promise<void> => {
    if (effect.kind === 'quit') return quit.abort()
    // Most who look do nothing, and starting is quicker without it.
    const { openInPage, perform, toNotice } = await import('./acts.ts')
    const work = async (): Promise<string> =>
      effect.kind === 'act'
        ? await perform(await named(context, userName), effect.act)
        : await openInPage(context, effect.choice, terminal)
    change({ notice: await work().catch(toNotice) })
  }
  using _listening = terminal.listen({
    key: (key) => {
      const step = press(state, key, choices)
      change(step.state)
      if (step.effect !== undefined) void apply(step.effect).catch((error) => quit.abort(error))
    },
    resized: () => wait.abort(),
  })
  const stop = AbortSignal.any([context.signal, quit.signal])
  let cursor = await latestEvent(context)
  terminal.out(ENTER)
  try {
    while (!stop.aborted) {
      wait = new AbortController()
      const picture = await draw(context, state, terminal)
      choices = picture.choices
      terminal.out(picture.text)
      await pause(FRAME_MS, undefined, { signal: stop })
      const signal = AbortSignal.any([stop, wait.signal])
      const page = await nextPage(
        { ...context, signal },
        { since: cursor, seconds: REDRAW_SECONDS },
      )
      if (page !== 'offline') cursor = page?.next_cursor ?? cursor
    }
  } catch (error) {
    if (!stop.aborted) throw error
  } finally {
    terminal.out(LEAVE)
  }
  if (quit.signal.reason instanceof Error && quit.signal.reason.name !== 'AbortError')
    throw quit.signal.reason
}

/** Acts are recorded under the name of the person; looking needs none. */
async function named(context: Context, userName: () => Promise<string | null>): Promise<Context> {
  const { agent } = context
  return agent.name === null ? { ...context, agent: { ...agent, name: await userName() } } : context
}

interface Picture {
  readonly text: string
  /** The rows that can be selected, from top to bottom. */
  readonly choices: readonly Choice[]
}

async function draw(context: Context, state: WatchState, terminal: Terminal): Promise<Picture> {
  const hint = lastLine(state)
  if (state.detail !== undefined) {
    return {
      text: await drawText(await describe(context, state.detail, terminal), hint, terminal),
      choices: [],
    }
  }
  const overview = await execute(context, showStatus, {})
  const parts = await loadParts(context, { view: state.view, overview, rows: terminal.rows })
  const shown: Choice[] = []
  const text = await drawScreen(
    {
      heading: toCell(showCounts(overview), terminal).text,
      hint,
      sections: parts.map(({ rows, ...part }) => ({
        ...part,
        rows: rows.map(({ cells }) => cells.map((value) => toCell(line`${value}`, terminal))),
        isSelected: (at) => {
          const choice = rows[at]?.choice
          if (choice === undefined) return false
          shown.push(choice)
          return isSame(choice, state.selected)
        },
      })),
    },
    terminal,
  )
  return { text, choices: shown }
}

/** All that is known about a row. */
async function describe(
  context: Context,
  { kind, id }: Choice,
  terminal: Terminal,
): Promise<string> {
  if (kind === 'question' && id.startsWith('m')) {
    const { questions } = await execute(context, showStatus, {})
    const found = questions.find((question) => `m${question.id}` === id)
    return await print([line`${found?.from} asks (${id}):`, line``, line`${found?.text}`], terminal)
  }
  const entity = await execute(context, getEntity, { id })
  return await print(getEntity.show(entity), terminal)
}
