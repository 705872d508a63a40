// Leaves a board and the lanes open while changes come in at 100 a second, and looks whether memory and nodes stay flat.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { launchBrowser } from '../../packages/dashboard/test/page/browser.ts'
import { createProject, fillProject } from '../everyday/project.ts'
import { serve } from '../everyday/server.ts'
import { changeTitles } from './change-titles.ts'
import { bar, printRows } from './report.ts'
import { openWatched, serveUi } from './watched-page.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '100' },
    tasks: { type: 'string', default: '2000' },
  },
})
const [minutes, rate] = [Number(values.minutes), Number(values.rate)]
const SAMPLES = 12
const MEGABYTES_OF_NOISE = 3

const directory = mkdtempSync(join(tmpdir(), 'waymark-ui-soak-'))
const browser = await launchBrowser()
try {
  createProject(directory)
  await fillProject(directory, { tasks: Number(values.tasks), decisions: 32 })
  await using server = await serveUi(directory)
  await using watched = await openWatched(browser, server.link())
  await watched.go('/board')
  // The lanes beside it, as an ordinary page of the same browser.
  await using lanes = await openWatched(
    browser,
    watched.origin + '/ui/agents',
    watched.page.context(),
  )
  const sampleMs = (minutes * 60_000) / SAMPLES
  await using agent = await serve(directory)
  const samples: { heap: number; nodes: number; listeners: number }[] = []
  const tasks = Array.from({ length: 50 }, (_, at) => at + 1)
  let changes = 0
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    changes += await changeTitles(agent, { tasks, rate, milliseconds: sampleMs })
    const [board, beside] = [
      await watched.usageAfterCollection(),
      await lanes.usageAfterCollection(),
    ]
    const heap = Math.max(board.heapMegabytes, beside.heapMegabytes)
    const nodes = Math.max(board.nodes, beside.nodes)
    const listeners = board.listeners + beside.listeners
    samples.push({ heap, nodes, listeners })
    const minute = Math.round(((sample + 1) * sampleMs) / 60_000)
    console.log(
      `minute ${minute}: ${changes} changes, heap ${heap.toFixed(1)} MB, ${nodes} nodes, ${listeners} listeners`,
    )
  }
  const [, early] = samples
  const last = samples.at(-1)
  const growth = (last?.heap ?? 0) - (early?.heap ?? 0)
  printRows([
    bar('6', `heap after ${changes} changes in ${minutes} minutes`, last?.heap ?? 0, 60, 'MB'),
    bar('6', 'growth of the heap since the second sample', growth, MEGABYTES_OF_NOISE, 'MB'),
    bar('6', 'nodes', last?.nodes ?? 0, 3000, ''),
    bar('6', 'growth of listeners', (last?.listeners ?? 0) - (early?.listeners ?? 0), 20, ''),
  ])
} finally {
  await browser.close()
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
}
