import type { Browser } from 'playwright-core'
import { timed } from '../statistics.ts'
import { bar, type Row } from './report.ts'
import { openWatched, serveUi } from './watched-page.ts'

/** From the command to a board that can be used, then again from the copy that the browser keeps. */
export async function measureOpening(browser: Browser, directory: string): Promise<readonly Row[]> {
  const started = performance.now()
  await using server = await serveUi(directory)
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } })
  const url = new URL(server.link())
  url.pathname = '/ui/board'
  await using first = await openWatched(browser, url.href, context)
  await first.page.locator('.card').first().waitFor()
  const usable = performance.now() - started
  const painted = await first.page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  )
  const { thread } = await first.usage()
  await first.page.waitForTimeout(2000)
  await using second = await openWatched(browser, `${url.origin}/ui/board`, context)
  const again = await timed(() => second.page.locator('.card').first().waitFor())
  return [
    bar('1', 'the command to a usable board of 10,000 tasks', usable, 2000, 'ms'),
    bar('1', 'the page to its first paint', painted, 1500, 'ms'),
    bar('1', 'CPU of the page until the board is usable', thread, 200, 'ms'),
    bar('2', 'second visit to a usable board', again, 300, 'ms'),
  ]
}
