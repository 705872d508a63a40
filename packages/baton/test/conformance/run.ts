// Runs the official conformance suite against the everything server; fails on any scenario that does not pass.
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createInterface } from 'node:readline'

interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

interface Scenario {
  readonly name: string
  readonly checks: readonly Check[]
}

/** The two frozen sets of requirements; the extensions run along, and count here though the suite does not score them. */
const RUNS = [
  { title: '2026-07-28', scored: 37 },
  { title: '2025-11-25', scored: 30 },
] as const

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const require = createRequire(import.meta.url)
const suite = join(
  require.resolve('@modelcontextprotocol/conformance/package.json'),
  '../dist/index.js',
)

const server = spawn(process.execPath, [...process.execArgv, here('everything-server.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
let isAllGood = true
try {
  const { value: url } = await createInterface(server.stdout)[Symbol.asyncIterator]().next()
  for (const { title, scored } of RUNS) {
    const { exitCode, scenarios, summary } = await runSuite([
      '--url',
      String(url),
      '--requirements',
      title,
    ])
    const unscored = Number(/Not scored for [\d-]+: (\d+) scenario/.exec(summary)?.[1] ?? 0)
    const isComplete = scenarios.length - unscored === scored
    if (!isComplete) console.log(`  expected ${scored} scored scenarios: the suite has changed`)
    isAllGood = report(title, scenarios, unscored) && isComplete && exitCode === 0 && isAllGood
  }
} finally {
  server.kill()
}
process.exitCode = isAllGood ? 0 : 1

async function runSuite(
  args: readonly string[],
): Promise<{ exitCode: number | null; scenarios: Scenario[]; summary: string }> {
  const output = await mkdtemp(join(tmpdir(), 'baton-conformance-'))
  try {
    const child = spawn(
      process.execPath,
      ['--import', here('fs-glob-sync.mjs'), suite, 'server', ...args, '-o', output],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    let text = ''
    for await (const chunk of child.stdout) text += String(chunk)
    const exitCode = child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve)))
    return { exitCode, scenarios: await readScenarios(output), summary: text }
  } finally {
    await rm(output, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function readScenarios(output: string): Promise<Scenario[]> {
  const folders = await readdir(output)
  return Promise.all(
    folders.toSorted().map(async (folder) => ({
      name: folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, ''),
      checks: JSON.parse(await readFile(join(output, folder, 'checks.json'), 'utf8')) as Check[],
    })),
  )
}

/** Prints what did not pass; true when nothing failed. */
function report(title: string, scenarios: readonly Scenario[], unscored: number): boolean {
  const count = (status: Check['status']): number =>
    scenarios.flatMap(({ checks }) => checks).filter((check) => check.status === status).length
  const failed = scenarios.filter(({ checks }) => checks.some(({ status }) => status === 'FAILURE'))
  for (const { name, checks } of scenarios) {
    for (const { id, status, errorMessage } of checks) {
      if (status === 'FAILURE' || status === 'WARNING')
        console.log(`  ${status} ${name} ${id}: ${errorMessage}`)
    }
  }
  const passed = scenarios.length - failed.length
  console.log(
    `${title}: ${passed} of ${scenarios.length} scenarios pass (${unscored} of them not scored); ` +
      `checks: ${count('SUCCESS')} passed, ${count('FAILURE')} failed, ` +
      `${count('WARNING')} warnings, ${count('SKIPPED')} skipped`,
  )
  return failed.length === 0
}
