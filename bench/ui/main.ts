// What the page of `waymark ui` costs, against the limits that it was designed for: CPU of the page's thread and of the
// server, frames, memory. Wall-clock times are those of this machine at its load.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchBrowser } from '../../packages/dashboard/test/page/browser.ts'
import { createProject, fillProject } from '../everyday/project.ts'
import { WAYMARK } from '../everyday/server.ts'
import { measureDrawing } from './drawing.ts'
import { measureLiving } from './living.ts'
import { measureMoving } from './moving.ts'
import { measureOpening } from './opening.ts'
import { printRows, type Row } from './report.ts'
import { measureTurns } from './turns.ts'
import { measureViews } from './views.ts'
import { serveUi } from './watched-page.ts'

const TASKS = 10_000
const LINES = 5_000
const AGENTS = 20

const directory = mkdtempSync(join(tmpdir(), 'waymark-ui-bench-'))
const browser = await launchBrowser()
const rows: Row[] = []
try {
  createProject(directory)
  writeLongSource()
  await fillProject(directory, { tasks: TASKS, decisions: 500 })
  makePicture()
  rows.push(...(await measureOpening(browser, directory)))
  await using server = await serveUi(directory)
  rows.push(...(await measureMoving(browser, server)))
  rows.push(...(await measureViews(browser, server)))
  rows.push(...(await measureDrawing(browser, server)))
  rows.push(...(await measureTurns(browser, server)))
  rows.push(...(await measureLiving(browser, server, directory, AGENTS + 1)))
} finally {
  await browser.close()
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
}
printRows(rows)

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

/** Tasks that are linked to the first, and agents that hold one each, so that there are a graph and lanes to draw. */
function makePicture(): void {
  for (let at = 0; at < AGENTS; at += 1) {
    waymark('relation', 'create', '1', String(at + 2), '--type', 'relates_to')
  }
  for (let at = 0; at < AGENTS; at += 1) waymark('task', 'take', '--actor', `agent-${at}`)
}

function waymark(...args: readonly string[]): void {
  execFileSync(process.execPath, [WAYMARK, ...args], { cwd: directory, stdio: 'ignore' })
}

function git(...args: readonly string[]): void {
  execFileSync('git', args, { cwd: directory })
}
