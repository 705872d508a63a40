import type { Browser } from 'playwright-core'
import { quantile } from '../statistics.ts'
import { bar, type Row } from './report.ts'
import { openWatched, type UiServer } from './watched-page.ts'

const [NODES, EDGES] = [5000, 20_000]
const [AGENTS, SPANS] = [50, 12_000]
const FRAMES = 120
const JUMPS = 40
const MINUTE = 60_000

/** The whole graph and the lanes of a long day while they are moved, with made-up answers of the server. */
export async function measureDrawing(browser: Browser, server: UiServer): Promise<readonly Row[]> {
  await using watched = await openWatched(browser, server.link())
  const { page } = watched
  await page.route('**/api/graph.show', (route) => route.fulfill({ json: madeUpGraph() }))
  await page.route('**/api/lane.list', (route) => route.fulfill({ json: madeUpLanes() }))
  await watched.go('/graph?mode=whole')
  await page.locator('.graph-whole canvas').waitFor()
  // Until the nodes are arranged.
  await page.waitForTimeout(15_000)
  const graph = await page.evaluate(wheel, {
    selector: '.graph-whole canvas',
    frames: FRAMES,
    ctrl: false,
  })
  let shown = 0
  await watched.go('/settings')
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
  const lanes = `lanes of ${AGENTS} agents and ${SPANS} leases`
  return [
    bar(
      '8',
      'frame while the whole graph of 5,000 nodes moves, p50',
      quantile(graph, 0.5),
      17,
      'ms',
    ),
    bar('8', 'the same, p95', quantile(graph, 0.95), 34, 'ms'),
    bar('10', `CPU of the page to show the ${lanes}`, drawn, 300, 'ms'),
    { ...bar('10', 'the same, in wall-clock time', shown, 300, 'ms'), limit: '–', isMet: true },
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

function madeUpGraph(): object {
  const nodes = Array.from({ length: NODES }, (_, at) => [
    at + 1,
    at % 3 === 0 ? 'decision' : 'task',
    `Node ${at + 1}`,
    at % 5 === 0 ? 'done' : 'todo',
    null,
    0,
  ])
  const edges = Array.from({ length: EDGES }, (_, at) => [
    1 + (at % NODES),
    'implements',
    1 + ((at * 7919 + Math.floor(at / NODES) * 13) % NODES),
  ])
  return { nodes, edges, groups: [], links: [], total: NODES, truncated: false }
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
      renewals: [],
    }
  })
  const agents = Array.from({ length: AGENTS }, (_, at) => ({
    id: `agent-${at}`,
    name: `agent-${at}`,
  }))
  return { from: 0, to: end, agents, spans, handovers: [], messages: [], truncated: false }
}
