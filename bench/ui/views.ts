import type { Browser } from 'playwright-core'
import { timed } from '../statistics.ts'
import { longestTaskOf } from './longest-task.ts'
import { bar, type Row, told } from './report.ts'
import { openWatched, type UiServer, type WatchedPage } from './watched-page.ts'

/** The view, its address, what shows that it is drawn, and the most milliseconds that it may take. */
const VIEWS = [
  ['9', 'focus graph of 300 neighbours', '/graph/1?depth=1', '.graph-node', 50],
  ['10', 'lanes of all agents', '/agents', '.lanes-canvas', 300],
  ['12', 'source of 5,000 lines with reasons', '/code/src/long.ts', '.source .line', 250],
] as const

const COLOURED = '.source .code-keyword'
const LONGEST_TASK = 16

/** Every view but the board: the CPU that drawing it takes. */
export async function measureViews(browser: Browser, server: UiServer): Promise<readonly Row[]> {
  await using watched = await openWatched(browser, server.link())
  await watched.go('/')
  const rows: Row[] = []
  for (const [id, what, path, drawn, limit] of VIEWS) {
    // Once for the files and the caches of the server.
    await show(watched, path, drawn)
    await leave(watched, drawn)
    let took = 0
    const thread = await watched.threadOf(async () => {
      took = await timed(() => show(watched, path, drawn))
    })
    rows.push(
      bar(id, `CPU of the page for the ${what}`, thread, limit, 'ms'),
      told(id, `the ${what}, in wall-clock time`, took, 'ms'),
    )
  }
  const { page } = watched
  const [, , path] = VIEWS[2]
  await leave(watched, COLOURED)
  const longest = await longestTaskOf(browser, page, () => show(watched, path, COLOURED))
  rows.push(bar('12', 'CPU of its longest task, until it is coloured', longest, LONGEST_TASK, 'ms'))
  return rows
}

/** To a view that is not measured. */
async function leave(watched: WatchedPage, drawn: string): Promise<void> {
  await watched.change('/settings')
  await watched.page.locator(drawn).first().waitFor({ state: 'detached' })
}

async function show(watched: WatchedPage, path: string, drawn: string): Promise<void> {
  await watched.change(path)
  await watched.page.locator(drawn).first().waitFor()
}
