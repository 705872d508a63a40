import { setTimeout as pause } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { serve } from '../everyday/server.ts'
import { quantile } from '../statistics.ts'
import { changeTitles } from './change-titles.ts'
import { bar, type Row, told } from './report.ts'
import { openWatched, type UiServer } from './watched-page.ts'

const SECONDS = 20
const IDLE_SECONDS = 60
/**
 * V8 collects what a burst has left behind once nothing else happens: a hundred seconds after its last collection at the
 * latest, and in up to three steps. That is not idleness yet.
 */
const COLLECTION_SECONDS = 180

/** Changes that come in while a board is open, and a page in which nothing happens. */
export async function measureLiving(
  browser: Browser,
  server: UiServer,
  directory: string,
  firstFree: number,
): Promise<readonly Row[]> {
  await using watched = await openWatched(browser, server.link())
  await using agent = await serve(directory)
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
      const tasks = [0, 1, 2, 3, 4].map((at) => firstFree + at)
      changed = await changeTitles(agent, { tasks, rate, milliseconds: SECONDS * 1000 })
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
  const busy = server.cpu
  await pause(COLLECTION_SECONDS * 1000)
  const collecting = (server.cpu - busy) / 1e4 / COLLECTION_SECONDS
  let requests = 0
  page.on('request', () => (requests += 1))
  const before = server.cpu
  const idle = await watched.threadOf(() => pause(IDLE_SECONDS * 1000))
  rows.push(
    told(
      '5',
      `CPU of the server in the ${COLLECTION_SECONDS} s before, while V8 collects garbage`,
      collecting,
      '%',
    ),
    bar('5', `requests in ${IDLE_SECONDS} idle seconds`, requests, 0, ''),
    bar('5', 'CPU of the server, idle', (server.cpu - before) / 1e4 / IDLE_SECONDS, 0.1, '%'),
    bar('5', 'CPU of the page per idle second', idle / IDLE_SECONDS, 2, 'ms'),
  )
  return rows
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
