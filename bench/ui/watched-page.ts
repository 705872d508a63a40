import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { readCpu } from '../baton/process-usage.ts'
import { WAYMARK } from '../everyday/server.ts'
import { AGENT_VARIABLES } from '../../packages/waymark/src/surfaces/agent-host.ts'

const LOG_TURNS = new URL('log-turns.mjs', import.meta.url).href

/** The server of the page, as `waymark ui` starts it. */
export interface UiServer extends AsyncDisposable {
  /** An address that opens the page once. */
  link(): string
  /** Begins to write down long turns of its event loop, or ends it. */
  toggleTurns(): void
  /** The most CPU time that one turn of its event loop has taken since then, in milliseconds; on Linux. */
  longestTurnSince(time: number): number
  /** Microseconds of CPU time so far. */
  readonly cpu: number
}

export async function serveUi(directory: string): Promise<UiServer> {
  const noAgent = Object.fromEntries(AGENT_VARIABLES.map((name) => [name, '']))
  const words = [WAYMARK, 'ui', '--no-open', '--json']
  const options = { cwd: directory, env: { ...process.env, ...noAgent } }
  const turns = join(directory, '.git/turns')
  const child = spawn(process.execPath, ['--import', LOG_TURNS, ...words], {
    cwd: directory,
    env: { ...options.env, BENCH_TURNS: turns },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  const { value } = await lines[Symbol.asyncIterator]().next()
  let unused: string | undefined = String(value)
  return {
    link() {
      // Beside a server that runs, the command makes another link.
      const line = unused ?? execFileSync(process.execPath, words, { ...options, encoding: 'utf8' })
      unused = undefined
      return (JSON.parse(line) as { url: string }).url
    },
    toggleTurns() {
      child.kill('SIGUSR2')
    },
    longestTurnSince(time) {
      const lines = existsSync(turns) ? readFileSync(turns, 'utf8').trim().split('\n') : []
      const logged = lines.map((line) => line.split(' ').map(Number))
      return Math.max(0, ...logged.map(([at = 0, length = 0]) => (at < time ? 0 : length)))
    },
    get cpu() {
      return readCpu(child.pid ?? 0)
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** What the page's thread has used since it was opened. */
interface Usage {
  /** CPU milliseconds of the main thread. */
  readonly thread: number
  readonly heapMegabytes: number
  readonly nodes: number
  readonly listeners: number
}

export interface WatchedPage extends AsyncDisposable {
  readonly page: Page
  readonly origin: string
  usage(): Promise<Usage>
  /** The same once what is only waiting for the garbage collector is gone. */
  usageAfterCollection(): Promise<Usage>
  /** CPU milliseconds of the page's thread during some work. */
  threadOf(work: () => Promise<unknown>): Promise<number>
  /** Loads the page at a view, and answers when that is loaded. */
  go(path: string): Promise<void>
  /** Changes to another view of the page that is open. */
  change(path: string): Promise<void>
}

const PATIENCE_MS = 120_000

/** A page whose thread is measured, in a browser profile of its own unless one is given. */
export async function openWatched(
  browser: Browser,
  url: string,
  given?: BrowserContext,
): Promise<WatchedPage> {
  const context = given ?? (await browser.newContext({ viewport: { width: 1400, height: 900 } }))
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.goto(url)
  await page.locator('#view').waitFor()
  const usage = () => readUsage(session)
  return {
    page,
    origin: new URL(url).origin,
    usage,
    async usageAfterCollection() {
      await session.send('HeapProfiler.collectGarbage')
      return await usage()
    },
    async threadOf(work) {
      const before = await usage()
      await work()
      return (await usage()).thread - before.thread
    },
    async go(path) {
      await page.goto(`${new URL(url).origin}/ui${path}`)
      await page.locator('#view:not(:has([aria-busy]))').waitFor()
    },
    async change(path) {
      await page.evaluate((address) => {
        history.pushState(null, '', address)
        dispatchEvent(new PopStateEvent('popstate'))
      }, `/ui${path}`)
      await page.locator('#view:not(:has([aria-busy]))').waitFor()
    },
    async [Symbol.asyncDispose]() {
      await (given === undefined ? context.close() : page.close())
    },
  }
}

async function readUsage(session: CDPSession): Promise<Usage> {
  const { metrics } = await session.send('Performance.getMetrics')
  const valueOf = (name: string): number => metrics.find((each) => each.name === name)?.value ?? 0
  return {
    thread: valueOf('TaskDuration') * 1000,
    heapMegabytes: valueOf('JSHeapUsedSize') / 1024 / 1024,
    nodes: valueOf('Nodes'),
    listeners: valueOf('JSEventListeners'),
  }
}
