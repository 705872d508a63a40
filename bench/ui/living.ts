import { setTimeout as pause } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { ask, serve } from '../everyday/server.ts'
import { quantile } from '../statistics.ts'
import { bar, type Row } from './report.ts'
import { openWatched, type UiServer } from './watched-page.ts'

const SECONDS = 20
const IDLE_SECONDS = 30

/** Changes that come in while a board is open, and a page in which nothing happens. */
export async function measureLiving(
  browser: Browser,
  server: UiServer,
  directory: string,
  firstFree: number,
): Promise<readonly Row[]> {
  await using watched = await openWatched(browser, server.link())
  const { page } = watched
  await watched.go('/board')
  await page.locator('.card').first().waitFor()
  const rows: Row[] = []
  for (const [rate, longest] of [
    [100, 250],
    [200, 400],
  ] as const) {
    await page.evaluate(watchTitles)
    let changed = 0
    const thread = await watched.threadOf(async () => {
      changed = await change(directory, rate, firstFree)
    })
    const delays = await page.evaluate(() => (globalThis as unknown as { delays: number[] }).delays)
    rows.push(
      bar(
        '4',
        `call to paint at ${(changed / SECONDS).toFixed(0)} of ${rate} changes/s, p95`,
        quantile(delays, 0.95),
        longest,
        'ms',
      ),
      bar('4', 'CPU of the page per second meanwhile', thread / SECONDS, 100, 'ms'),
    )
  }
  const { heapMegabytes, nodes } = await watched.usageAfterCollection()
  rows.push(
    bar('6', 'heap after these changes', heapMegabytes, 60, 'MB'),
    bar('6', 'nodes after these changes', nodes, 3000, ''),
  )
  await pause(3000)
  let requests = 0
  page.on('request', () => (requests += 1))
  const before = server.cpu
  const idle = await watched.threadOf(() => pause(IDLE_SECONDS * 1000))
  rows.push(
    bar('5', `requests in ${IDLE_SECONDS} idle seconds`, requests, 0, ''),
    bar('5', 'CPU of the server, idle', (server.cpu - before) / 1e4 / IDLE_SECONDS, 0.1, '%'),
    bar('5', 'CPU of the page per idle second', idle / IDLE_SECONDS, 2, 'ms'),
  )
  return rows
}

/** Changes titles of the first free tasks, which are on the screen, at this rate; answers how many changes were acknowledged. */
async function change(directory: string, rate: number, firstFree: number): Promise<number> {
  await using agent = await serve(directory)
  const running = new Set<Promise<unknown>>()
  const end = performance.now() + SECONDS * 1000
  let count = 0
  for (let at = 0; performance.now() < end; at += 1) {
    const task = String(firstFree + (at % 5))
    const call = ask(agent, ['task_update', { ids: [task], title: `Task at ${Date.now()}` }])
      .then(() => (count += 1))
      .finally(() => running.delete(call))
    running.add(call)
    // A queue that only grows would measure itself.
    if (running.size > 32) await Promise.race(running)
    await pause(1000 / rate)
  }
  await Promise.all(running)
  return count
}

/** Runs in the page: how long after its call each title is painted. */
function watchTitles(): void {
  const delays: number[] = []
  Object.assign(globalThis, { delays })
  const board = document.querySelector('#view')
  if (board === null) return
  new MutationObserver((changes) => {
    const titles = changes.map(({ target }) => target.textContent ?? '')
    requestAnimationFrame(() => {
      for (const title of titles) {
        const [, at] = /Task at (\d{13})/.exec(title) ?? []
        if (at !== undefined) delays.push(Date.now() - Number(at))
      }
    })
  }).observe(board, { subtree: true, characterData: true, childList: true })
}
