import type { Browser } from 'playwright-core'
import { quantile } from '../statistics.ts'
import { bar, type Row, told } from './report.ts'
import { openWatched, type UiServer } from './watched-page.ts'

const GRAPHS = [
  [5000, 20_000],
  [20_000, 20_000],
] as const
const [AGENTS, SPANS, RENEWALS, MESSAGES] = [50, 12_000, 6, 4000]
/** Each lease begins and ends. */
const EVENTS = SPANS * (2 + RENEWALS) + MESSAGES
const FRAMES = 120
const JUMPS = 40
const MINUTE = 60_000

/** The whole graph and the lanes of a long day while they are moved, with made-up answers of the server. */
export async function measureDrawing(browser: Browser, server: UiServer): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const [nodes, edges] of GRAPHS)
    rows.push(...(await moveGraph(browser, server, nodes, edges)))
  return [...rows, ...(await moveLanes(browser, server))]
}

async function moveGraph(
  browser: Browser,
  server: UiServer,
  nodes: number,
  edges: number,
): Promise<readonly Row[]> {
  await using watched = await openWatched(browser, server.link())
  const { page } = watched
  await page.route('**/api/graph.show', (route) =>
    route.fulfill({ json: madeUpGraph(nodes, edges) }),
  )
  await watched.go('/graph?mode=whole')
  const selector = '.graph-whole canvas'
  await page.locator(selector).waitFor()
  // Until the nodes are arranged.
  await page.waitForTimeout(15_000)
  const frames = await page.evaluate(wheel, { selector, frames: FRAMES, ctrl: false })
  const what = `frame while the whole graph of ${nodes} nodes and ${edges} edges moves`
  return [
    bar('8', `${what}, p50`, quantile(frames, 0.5), 17, 'ms'),
    bar('8', 'the same, p95', quantile(frames, 0.95), 34, 'ms'),
  ]
}

async function moveLanes(browser: Browser, server: UiServer): Promise<readonly Row[]> {
  await using watched = await openWatched(browser, server.link())
  const { page } = watched
  await page.route('**/api/lane.list', (route) => route.fulfill({ json: madeUpLanes() }))
  await watched.go('/settings')
  let shown = 0
  const drawn = await watched.threadOf(async () => {
    const started = performance.now()
    await watched.change('/agents')
    await page.locator('.lanes-canvas canvas').waitFor()
    shown = performance.now() - started
  })
  const selector = '.lanes-canvas canvas'
  await page.evaluate(wheel, { selector, frames: 8, ctrl: true })
  const thread = await watched.threadOf(() =>
    page.evaluate(wheel, { selector, frames: FRAMES, ctrl: false }),
  )
  const jumps = await watched.threadOf(() => page.evaluate(jump, JUMPS))
  const lanes = `lanes of ${AGENTS} agents, ${SPANS} leases, ${EVENTS} events`
  return [
    bar('10', `CPU of the page to show the ${lanes}`, drawn, 300, 'ms'),
    told('10', 'the same, in wall-clock time', shown, 'ms'),
    bar('10', 'CPU of the page per frame while they move', thread / FRAMES, 4, 'ms'),
    bar('11', 'CPU of the page for a jump to any moment', jumps / JUMPS, 16, 'ms'),
  ]
}

interface Wheel {
  readonly selector: string
  readonly frames: number
  readonly ctrl: boolean
}

/** Runs in the page: turns the wheel once per frame and answers the milliseconds between frames. */
async function wheel({ selector, frames, ctrl }: Wheel): Promise<number[]> {
  const canvas = document.querySelector(selector)
  const times: number[] = []
  let before = performance.now()
  for (let frame = 0; frame < frames; frame += 1) {
    const deltaY = frame % 40 < 20 || ctrl ? -60 : 60
    canvas?.dispatchEvent(
      new WheelEvent('wheel', { deltaY, ctrlKey: ctrl, bubbles: true, cancelable: true }),
    )
    await new Promise((resolve) => requestAnimationFrame(resolve))
    const now = performance.now()
    times.push(now - before)
    before = now
  }
  return times
}

/** Runs in the page: moves the slider of the replay to and fro. */
async function jump(times: number): Promise<void> {
  const slider = document.querySelector<HTMLInputElement>('.scrub input')
  if (slider === null) throw new Error('there is no slider')
  for (let at = 0; at < times; at += 1) {
    slider.value = String((Number(slider.max) * ((at * 37) % times)) / times)
    slider.dispatchEvent(new Event('input', { bubbles: true }))
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
}

function madeUpGraph(nodeCount: number, edgeCount: number): object {
  const nodes = Array.from({ length: nodeCount }, (_, at) => [
    at + 1,
    at % 3 === 0 ? 'decision' : 'task',
    `Node ${at + 1}`,
    at % 5 === 0 ? 'done' : 'todo',
    null,
    0,
  ])
  const edges = Array.from({ length: edgeCount }, (_, at) => [
    1 + (at % nodeCount),
    'implements',
    1 + ((at * 7919 + Math.floor(at / nodeCount) * 13) % nodeCount),
  ])
  return { nodes, edges, groups: [], links: [], total: nodeCount, truncated: false }
}

function madeUpLanes(): object {
  const end = Date.now()
  const each = SPANS / AGENTS
  const spans = Array.from({ length: SPANS }, (_, at) => {
    const from = end - (each - Math.floor(at / AGENTS)) * 5 * MINUTE + (at % AGENTS) * 1000
    return {
      agent_id: `agent-${at % AGENTS}`,
      task: 1 + (at % 3000),
      title: `Task ${at % 3000}`,
      fence: 1,
      from,
      to: from + 4 * MINUTE,
      end: at % 9 === 0 ? 'expired' : 'done',
      renewals: Array.from({ length: RENEWALS }, (_, n) => from + (n + 1) * 30_000),
    }
  })
  const agents = Array.from({ length: AGENTS }, (_, at) => ({
    id: `agent-${at}`,
    name: `agent-${at}`,
  }))
  const messages = Array.from({ length: MESSAGES }, (_, at) => ({
    agent_id: `agent-${at % AGENTS}`,
    at: end - at * 15_000,
    severity: at % 40 === 0 ? 'blocker' : 'info',
  }))
  return { from: 0, to: end, agents, spans, handovers: [], messages, truncated: false }
}
