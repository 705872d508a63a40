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
  /** The newest event that the page knows of. */
  last: number
  /** How often the page was so far behind that it read everything anew, and how many events that spared it. */
  anew: number
  spared: number
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
  await using agent = await serve(directory)
  const first = await latest()
  await beside.page.evaluate(collect, first)
  for (let round = 0; round < kills; round += 1) {
    const wanted = Math.round((events * (round + 1)) / kills)
    const writing = write(first + wanted)
    await pause(200 + 37 * (round % 9))
    await server[Symbol.asyncDispose]()
    await pause(100 * (round % 5))
    server = await serveUi(directory)
    await writing
  }
  const found = await toldToTheEnd()
  const { ids, last } = found
  const lost = last - first - found.spared - new Set(ids).size
  const doubled = ids.length - new Set(ids).size
  const disordered = ids.filter((id, at) => at > 0 && id <= (ids[at - 1] ?? 0)).length
  printRows([
    told('7', 'kills of the server', kills, ''),
    told('7', 'events meanwhile', last - first, ''),
    bar('7', 'events that the page was not told', lost, 0, ''),
    bar('7', 'events that it was told twice', doubled, 0, ''),
    bar('7', 'events that it was told too late', disordered, 0, ''),
    told('7', 'times that it read everything anew', found.anew, ''),
    told('7', 'events that this spared it', found.spared, ''),
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

  /** What the page was told, once it is told each new event. */
  async function toldToTheEnd(): Promise<Told> {
    const end = performance.now() + LONGEST_WAIT_MS
    for (;;) {
      await ask(agent, ['task_update', { ids: ['1'], title: `Task at ${Date.now()}` }])
      const newest = await latest()
      await pause(1000)
      const found = await beside.page.evaluate(() => (globalThis as unknown as { told: Told }).told)
      if (found.last >= newest || performance.now() > end) return found
    }
  }
} finally {
  await server?.[Symbol.asyncDispose]()
  await browser.close()
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
}

/** Runs in the page: keeps the ids of the events in each frame that is passed on between tabs. */
function collect(first: number): void {
  const told: Told = { ids: [], last: first, anew: 0, spared: 0 }
  Object.assign(globalThis, { told })
  const channel = new BroadcastChannel('waymark:')
  channel.addEventListener('message', ({ data }: MessageEvent) => {
    if (data?.kind !== 'frame') return
    if (data.from > told.last) {
      told.anew += 1
      told.spared += data.from - told.last
    }
    for (const [id] of data.frame.events ?? []) told.ids.push(id)
    told.last = Math.max(told.last, data.id)
  })
}
