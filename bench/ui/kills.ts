// Kills the server of the page again and again while changes come in, and counts what the page was told.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { launchBrowser } from '../../packages/dashboard/test/page/browser.ts'
import { createProject, fillProject } from '../everyday/project.ts'
import { ask, serve } from '../everyday/server.ts'
import { bar, printRows, told } from './report.ts'
import { openWatched, serveUi } from './watched-page.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    events: { type: 'string', default: '100000' },
  },
})
const [kills, events] = [Number(values.kills), Number(values.events)]
const TASKS = 400
const AT_ONCE = 50
/** Longer than the page waits before it tries again. */
const LONGEST_WAIT_MS = 60_000

interface Told {
  /** Ids of the events in the order in which the page applied them. */
  readonly ids: number[]
  /** How often the page was so far behind that it read everything anew. */
  behind: number
}

const directory = mkdtempSync(join(tmpdir(), 'waymark-ui-kills-'))
const browser = await launchBrowser()
let server: Awaited<ReturnType<typeof serveUi>> | undefined
try {
  createProject(directory)
  await fillProject(directory, { tasks: TASKS, decisions: 0 })
  server = await serveUi(directory)
  await using watched = await openWatched(browser, server.link())
  // Another tab is told every frame that the first one has applied.
  await using beside = await openWatched(
    browser,
    `${watched.origin}/ui/settings`,
    watched.page.context(),
  )
  await beside.page.evaluate(collect)
  await using agent = await serve(directory)
  const first = await latest()
  for (let round = 0; round < kills; round += 1) {
    const wanted = Math.round((events * (round + 1)) / kills)
    const writing = write(first + wanted)
    await pause(200 + 37 * (round % 9))
    await server[Symbol.asyncDispose]()
    await pause(100 * (round % 5))
    server = await serveUi(directory)
    await writing
  }
  const last = await latest()
  const found = await toldUpTo(last)
  const ids = found.ids.filter((id) => id > first)
  const lost = last - first - new Set(ids).size
  const doubled = ids.length - new Set(ids).size
  const disordered = ids.filter((id, at) => at > 0 && id <= (ids[at - 1] ?? 0)).length
  printRows([
    told('7', 'kills of the server', kills, ''),
    told('7', 'events meanwhile', last - first, ''),
    bar('7', 'events that the page was not told', lost, 0, ''),
    bar('7', 'events that it was told twice', doubled, 0, ''),
    bar('7', 'events that it was told too late', disordered, 0, ''),
    told('7', 'times that it read everything anew', found.behind, ''),
  ])

  async function latest(): Promise<number> {
    const { latest } = (await ask(agent, ['events', { limit: 1 }])) as { latest: number }
    return latest
  }

  /** Changes tasks until there is this event. */
  async function write(wanted: number): Promise<void> {
    for (let at = await latest(), first = 0; at < wanted; at += AT_ONCE) {
      const ids = Array.from({ length: AT_ONCE }, (_, n) => String(1 + ((first + n) % TASKS)))
      first += AT_ONCE
      await ask(agent, ['task_update', { ids, title: `Task at ${Date.now()}` }])
    }
  }

  /** What the page was told, once that is the newest event. */
  async function toldUpTo(newest: number): Promise<Told> {
    const end = performance.now() + LONGEST_WAIT_MS
    for (;;) {
      const found = await beside.page.evaluate(() => (globalThis as unknown as { told: Told }).told)
      if ((found.ids.at(-1) ?? 0) >= newest || performance.now() > end) return found
      await pause(200)
    }
  }
} finally {
  await server?.[Symbol.asyncDispose]()
  await browser.close()
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
}

/** Runs in the page: keeps the ids of the events in each frame that is passed on between tabs. */
function collect(): void {
  const told: Told = { ids: [], behind: 0 }
  Object.assign(globalThis, { told })
  const channel = new BroadcastChannel('waymark:')
  channel.addEventListener('message', ({ data }: MessageEvent) => {
    if (data?.kind !== 'frame') return
    for (const [id] of data.frame.events as readonly (readonly [number])[]) told.ids.push(id)
  })
}
