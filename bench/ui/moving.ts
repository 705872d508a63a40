import type { Browser } from 'playwright-core'
import { quantile } from '../statistics.ts'
import { bar, type Row } from './report.ts'
import { openWatched, type UiServer } from './watched-page.ts'

const FRAMES = 180

/** Scrolls the longest column, one step per frame, and types into the palette. */
export async function measureMoving(browser: Browser, server: UiServer): Promise<readonly Row[]> {
  await using watched = await openWatched(browser, server.link())
  const { page } = watched
  await watched.go('/board')
  await page.locator('.card').first().waitFor()
  let times: readonly number[] = []
  const thread = await watched.threadOf(async () => {
    times = await page.evaluate(scrollColumn, FRAMES)
  })
  await page.keyboard.press('Control+k')
  const box = page.locator('.palette input')
  await box.waitFor()
  const keys: number[] = []
  for (const key of 'parser 12') {
    keys.push(await watched.threadOf(() => box.press(key === ' ' ? 'Space' : key)))
  }
  return [
    bar('3', 'frame while a column scrolls, p95', quantile(times, 0.95), 17, 'ms'),
    bar('3', 'CPU of the page per frame', thread / FRAMES, 5, 'ms'),
    bar('13', 'CPU of the page per key in the palette, p95', quantile(keys, 0.95), 16, 'ms'),
  ]
}

/** Runs in the page: milliseconds between frames. */
async function scrollColumn(frames: number): Promise<number[]> {
  const columns = [...document.querySelectorAll('.windowed')]
  const longest = columns.toSorted((one, other) => other.scrollHeight - one.scrollHeight)[0]
  const times: number[] = []
  let before = performance.now()
  for (let frame = 0; frame < frames; frame += 1) {
    if (longest !== undefined) longest.scrollTop += 120
    await new Promise((resolve) => requestAnimationFrame(resolve))
    const now = performance.now()
    times.push(now - before)
    before = now
  }
  return times
}
