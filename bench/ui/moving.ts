import type { Browser } from 'playwright-core'
import { serve } from '../everyday/server.ts'
import { quantile } from '../statistics.ts'
import { changeTitles } from './change-titles.ts'
import { bar, type Row, told } from './report.ts'
import { openWatched, type UiServer, type WatchedPage } from './watched-page.ts'

const FRAMES = 180
const RATE = 60
const TITLES = 20_000
const SETTLED_MS = 1500

/** Scrolls the longest column, one step per frame, and types into the palette. */
export async function measureMoving(
  browser: Browser,
  server: UiServer,
  directory: string,
): Promise<readonly Row[]> {
  await using watched = await openWatched(browser, server.link())
  await watched.go('/settings')
  const empty = await watched.page.evaluate(scrollColumn, FRAMES)
  await watched.go('/board')
  await watched.page.locator('.card').first().waitFor()
  const alone = await scroll(watched)
  await using agent = await serve(directory)
  const tasks = Array.from({ length: 50 }, (_, at) => 100 + at)
  let isOver = false
  let changed = 0
  const changing = (async () => {
    while (!isOver) changed += await changeTitles(agent, { tasks, rate: RATE, milliseconds: 500 })
  })()
  const started = performance.now()
  const meanwhile = await scroll(watched)
  const rate = (1000 * changed) / (performance.now() - started)
  isOver = true
  await changing
  return [
    told('3', 'frame of a page in which nothing moves, p95', quantile(empty, 0.95), 'ms'),
    bar('3', 'frame while a column of 10,000 scrolls, p95', alone.frame, 17, 'ms'),
    bar('3', 'CPU of the page per frame', alone.thread, 5, 'ms'),
    bar('3', `the same at ${rate.toFixed(0)} changes/s, frame p95`, meanwhile.frame, 17, 'ms'),
    bar('3', 'CPU of the page per frame meanwhile', meanwhile.thread, 5, 'ms'),
    await typing(browser, server),
  ]
}

async function scroll(watched: WatchedPage) {
  let times: readonly number[] = []
  const thread = await watched.threadOf(async () => {
    times = await watched.page.evaluate(scrollColumn, FRAMES)
  })
  return { frame: quantile(times, 0.95), thread: thread / FRAMES }
}

/** The palette over a made-up project. */
async function typing(browser: Browser, server: UiServer): Promise<Row> {
  await using watched = await openWatched(browser, server.link())
  const { page } = watched
  await page.route('**/api/board.show', async (route) => {
    const answer = await route.fetch()
    const board = (await answer.json()) as { columns: string[]; rows: unknown[][] }
    const number = board.columns.indexOf('number')
    const [first = []] = board.rows
    const more = Array.from({ length: Math.max(0, TITLES - board.rows.length) }, (_, at) =>
      first.with(number, 1_000_000 + at),
    )
    await route.fulfill({ json: { ...board, rows: [...board.rows, ...more] } })
  })
  const answered = page.waitForResponse(/board\.show/)
  await watched.go('/settings')
  await answered
  // Until the rows are tasks.
  await page.waitForTimeout(SETTLED_MS)
  await page.keyboard.press('Control+k')
  const box = page.locator('.palette input')
  await box.waitFor()
  const keys: number[] = []
  for (const key of 'parser 12') {
    keys.push(await watched.threadOf(() => box.press(key === ' ' ? 'Space' : key)))
  }
  const what = `CPU of the page per key in the palette over ${TITLES} titles, p95`
  return bar('13', what, quantile(keys, 0.95), 16, 'ms')
}

/** Runs in the page, where no helper of the compiler is: milliseconds between frames, by the clock of the frames. */
async function scrollColumn(frames: number): Promise<number[]> {
  const columns = [...document.querySelectorAll('.windowed')]
  const longest = columns.toSorted((one, other) => other.scrollHeight - one.scrollHeight)[0]
  const times: number[] = []
  let before = await new Promise<number>(requestAnimationFrame)
  for (let frame = 0; frame < frames; frame += 1) {
    if (longest !== undefined) longest.scrollTop += 120
    const now = await new Promise<number>(requestAnimationFrame)
    times.push(now - before)
    before = now
  }
  return times
}
