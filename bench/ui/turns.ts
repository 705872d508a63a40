import { setTimeout as pause } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { quantile } from '../statistics.ts'
import { bar, type Row } from './report.ts'
import { openWatched, type UiServer } from './watched-page.ts'

const VISITED = [
  '/',
  '/board',
  '/agents',
  '/knowledge',
  '/graph/1',
  '/activity',
  '/health',
  '/code/',
]
const QUIET_MS = 3000

/**
 * How long the server answers nothing else: the longest wait for a health check while all views are opened, less what
 * the same check takes when nothing happens.
 */
export async function measureTurns(browser: Browser, server: UiServer): Promise<readonly Row[]> {
  await using watched = await openWatched(browser, server.link())
  const quiet = await probe(watched.origin, () => pause(QUIET_MS))
  const busy = await probe(watched.origin, async () => {
    for (const path of VISITED) await watched.go(path)
  })
  const held = Math.max(...busy) - quantile(quiet, 0.95)
  return [bar('14', 'longest wait of another request while views load', held, 50, 'ms')]
}

async function probe(origin: string, work: () => Promise<unknown>): Promise<readonly number[]> {
  const waits: number[] = []
  let isOver = false
  const probing = (async () => {
    while (!isOver) {
      const started = performance.now()
      await (await fetch(`${origin}/health`)).text()
      waits.push(performance.now() - started)
      await pause(5)
    }
  })()
  await work()
  isOver = true
  await probing
  return waits
}
