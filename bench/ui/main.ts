// What the page of `waymark ui` costs, against the limits that it was designed for: CPU of the page's thread and of the
// server, frames, memory. Wall-clock times are those of this machine at its load.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { launchBrowser } from '../../packages/dashboard/test/page/browser.ts'
import { createProject, fillProject } from '../everyday/project.ts'
import { WAYMARK } from '../everyday/server.ts'
import { measureAnswering } from './answering.ts'
import { measureDrawing } from './drawing.ts'
import { measureLiving } from './living.ts'
import { measureMoving } from './moving.ts'
import { measureOpening } from './opening.ts'
import { printRows, type Row } from './report.ts'
import { measureTurns } from './turns.ts'
import { measureViews } from './views.ts'
import { measureWatch } from './watch.ts'
import { serveUi } from './watched-page.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    tasks: { type: 'string', default: '10000' },
  },
})
const tasks = Number(values.tasks)
const isWanted = (part: string): boolean => values.only?.split(',').includes(part) ?? true
const NEIGHBOURS = 300
const LINES = 5_000
const AGENTS = 20

const directory = mkdtempSync(join(tmpdir(), 'waymark-ui-bench-'))
const browser = await launchBrowser()
const rows: Row[] = []
try {
  createProject(directory)
  writeLongSource()
  await fillProject(directory, { tasks, decisions: 500 })
  await makePicture()
  if (isWanted('opening')) rows.push(...(await measureOpening(browser, directory)))
  await using server = await serveUi(directory)
  if (isWanted('moving')) rows.push(...(await measureMoving(browser, server, directory)))
  if (isWanted('views')) rows.push(...(await measureViews(browser, server)))
  if (isWanted('drawing')) rows.push(...(await measureDrawing(browser, server)))
  if (isWanted('turns')) rows.push(...(await measureTurns(browser, server)))
  if (isWanted('answering')) rows.push(...(await measureAnswering(browser, server, directory)))
  if (isWanted('living'))
    rows.push(...(await measureLiving(browser, server, directory, AGENTS + 1)))
  if (isWanted('watch')) rows.push(...(await measureWatch(directory)))
} finally {
  await browser.close()
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
  // What was measured before a failure, too.
  if (rows.length > 0) printRows(rows)
}

/** A file with a region of reasons every hundred lines. */
function writeLongSource(): void {
  mkdirSync(join(directory, 'src'))
  const functions = Array.from({ length: LINES / 5 }, (_, n) => [
    `export function part${n}(value: number): number {`,
    `  const grown = value + ${n}`,
    '  return grown',
    '}',
    '',
  ])
  writeFileSync(join(directory, 'src/long.ts'), functions.flat().join('\n'))
  git('add', '.')
  git(
    '-c',
    'user.name=bench',
    '-c',
    'user.email=bench@localhost',
    'commit',
    '--quiet',
    '--message',
    'long',
  )
  const regions = Array.from({ length: 50 }, (_, n) => ({
    file: 'src/long.ts',
    anchor: `part${n * 20}`,
    intent: `The sum of part ${n * 20} must stay exact`,
  }))
  const input = JSON.stringify({ summary: 'Add the parts', regions })
  waymark('code', 'annotate', '--input', input)
}

/** Entities that are linked to the first, and agents that hold one each, so that there are a graph and lanes to draw. */
async function makePicture(): Promise<void> {
  for (let from = 0; from < NEIGHBOURS; from += 100) {
    const operations = Array.from({ length: 100 }, (_, at) => ({
      op: 'update',
      id: String(from + at + 2),
      relations: ['relates_to:1'],
    }))
    waymark('entity', 'batch', '--input', JSON.stringify({ operations }))
  }
  for (let at = 0; at < AGENTS; at += 1) waymark('task', 'take', '--actor', `agent-${at}`)
}

function waymark(...args: readonly string[]): void {
  execFileSync(process.execPath, [WAYMARK, ...args], { cwd: directory, stdio: 'ignore' })
}

function git(...args: readonly string[]): void {
  execFileSync('git', args, { cwd: directory })
}
