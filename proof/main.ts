// Puts what Waymark promises to the test: kills, power cuts, failing disks, many processes, hostile input.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { showProgress } from './progress.ts'
import { PROOFS } from './proofs.ts'
import { LEVELS, type Level } from './proof.ts'
import { createReport, type Report, toMarkdown, withAgain } from './report.ts'
import {
  runLongTests,
  runOrdinaryTests,
  type TestOutcome,
  type TestOutcomes,
} from './run-ordinary-tests.ts'
import { resumeFrom } from './resume.ts'
import { prove, type Verdict } from './run.ts'

const HELP = `Usage: npm run prove -- [options]

  --only <ids>      some of the promises, such as kills,leases; tests for the long tests, which npm test leaves
                    out, and for the ordinary tests of the full level
  --shard <i>/<n>   the i-th of n parts of them, to run the parts side by side
  --level <level>   short (default), or full: each until it has reached its goal, then the ordinary tests with theirs
  --minutes <n>     go on with new seeds for so long, shared by the promises (default: each once)
  --resume <file>   keep what was tried in a file, and go on from there if the code is the same
  --runs <n>        stop after so many runs of each, also short of the goal; for --resume
  --seed <n>        where the random choices begin (default: 1)
  --report <folder> write proof.md and proof.json there; with --only, the other promises stay as they are in it
  --allow-untried   do not fail because this machine lacks what a promise needs to be tried
  --list            name the promises and stop`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    shard: { type: 'string', default: '1/1' },
    level: { type: 'string', default: 'short' },
    minutes: { type: 'string', default: '0' },
    resume: { type: 'string' },
    runs: { type: 'string' },
    seed: { type: 'string', default: '1' },
    report: { type: 'string' },
    // Some promises can be tried on Linux alone; there is no remedy for that elsewhere.
    'allow-untried': { type: 'boolean', default: process.platform !== 'linux' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

/** Stands for the ordinary tests among the ids of the promises. */
const TESTS = 'tests'
const only = values.only === undefined ? undefined : toIds(values.only)

if (values.help) console.log(HELP)
else if (values.list)
  for (const { id, promise } of PROOFS) console.log(`${id.padEnd(14)} ${promise}`)
else process.exitCode = await main()

async function main(): Promise<number> {
  const seed = toNumber('seed', values.seed)
  const level = toLevel(values.level)
  const minutes = toNumber('minutes', values.minutes)
  const { part, parts } = toShard(values.shard)
  const chosen = PROOFS.filter(({ id }) => isChosen(id)).filter((_, at) => at % parts === part - 1)
  const milliseconds = (minutes * 60_000) / chosen.length
  const verdicts: Verdict[] = []
  let isUnfinished = false
  const resume = values.resume === undefined ? undefined : resumeFrom(values.resume)
  const mostRuns = values.runs === undefined ? undefined : toNumber('runs', values.runs)
  const onRun = (verdict: Verdict): void => {
    resume?.keep(verdict)
    showProgress(verdict)
  }
  for (const proof of chosen) {
    process.stdout.write(`${proof.id.padEnd(14)} ${proof.promise} `)
    const before = resume?.verdictOf(proof.id)
    const options = { seed, level, milliseconds, onRun, mostRuns, earlier: before }
    const verdict = await prove(proof, options)
    console.log(`… ${summarise(verdict)}`)
    isUnfinished ||= verdict.outcome === 'unfinished'
    if (verdict.outcome === 'unfinished') continue
    verdicts.push(verdict)
    // Each time: what took an hour should not be lost with the minute after it.
    if (values.report !== undefined) writeReport(values.report, { verdicts })
  }
  const tests = level === 'full' && isChosen(TESTS) ? runOrdinaryTests(seed) : undefined
  if (values.report !== undefined) writeReport(values.report, { verdicts, tests })
  const isTested = [...(tests?.values() ?? [])].every(isGood)
  if (!isTested) console.log('Some of the ordinary tests failed, were left out or were not found.')
  const isLongGood = part !== parts || !isChosen(TESTS) || runLongTests(level)
  return verdicts.some(isFailed) || isUnfinished || !isTested || !isLongGood ? 1 : 0
}

/** A promise that nobody has tried must not look kept: a check without a compiler would prove nothing and say nothing. */
function isFailed({ outcome }: Verdict): boolean {
  return outcome === 'broken' || (outcome === 'untried' && !values['allow-untried'])
}

function isGood(outcome: TestOutcome): boolean {
  return outcome === 'passed' || (outcome === 'skipped' && values['allow-untried'])
}

function isChosen(id: string): boolean {
  return only === undefined || only.includes(id)
}

function toIds(text: string): string[] {
  const ids = text.split(',')
  const unknown = ids.find((id) => id !== TESTS && !PROOFS.some((proof) => proof.id === id))
  if (unknown !== undefined) throw new Error(`--only: no promise is called ${unknown}; try --list`)
  return ids
}

function toNumber(name: string, text: string): number {
  const value = Number(text)
  if (!(value >= 0)) throw new Error(`--${name}: must be a number from 0 up, not ${text}`)
  return value
}

function toShard(text: string): { readonly part: number; readonly parts: number } {
  const [part = 0, parts = 0] = text.split('/').map(Number)
  if (part >= 1 && part <= parts) return { part, parts }
  throw new Error(`--shard: must be like 1/2, not ${text}`)
}

function toLevel(text: string): Level {
  const level = LEVELS.find((one) => one === text)
  if (level === undefined) throw new Error(`--level: one of ${LEVELS.join(', ')}, not ${text}`)
  return level
}

function summarise({
  outcome,
  tried,
  unit,
  violations,
  faults,
  seconds,
  seed,
  note,
}: Verdict): string {
  if (outcome === 'untried') return `NOT TRIED: ${note} (--allow-untried goes on without it)`
  const counts = Object.entries(violations).map(([name, count]) => `${name} ${count}`)
  const found = faults.filter(({ foundAfter }) => foundAfter !== null).length
  if (outcome === 'unfinished') return `${counts.join(', ')} in ${tried} ${unit} so far`
  const line = `${counts.join(', ')} in ${tried} ${unit}; ${found} of ${faults.length} planted mistakes found; ${seconds.toFixed(0)} s`
  return outcome === 'held' ? line : `BROKEN with --seed ${seed}: ${line}\n${note ?? ''}`
}

interface Results {
  readonly verdicts: readonly Verdict[]
  readonly tests?: TestOutcomes | undefined
}

function writeReport(folder: string, { verdicts, tests }: Results): void {
  const git = execFileSync('git', ['--version'], { encoding: 'utf8' }).trim()
  const fresh = createReport({
    verdicts,
    tests,
    command: commandOf(),
    versions: { git: git.replace('git version ', '') },
  })
  // Read now: another process may have written its own promises in the meantime.
  const earlier = values.only === undefined ? undefined : readReport(folder)
  const report = earlier === undefined ? fresh : withAgain(earlier, fresh)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'proof.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(join(folder, 'proof.md'), toMarkdown(report))
}

function readReport(folder: string): Report | undefined {
  const path = join(folder, 'proof.json')
  if (!existsSync(path)) return undefined
  return JSON.parse(readFileSync(path, 'utf8')) as Report
}

/** What was typed, as far as it changes what is in the report. */
function commandOf(): string {
  const options = [
    values.only !== undefined && `--only ${values.only}`,
    values.level !== 'short' && `--level ${values.level}`,
    values.minutes !== '0' && `--minutes ${values.minutes}`,
    values.seed !== '1' && `--seed ${values.seed}`,
    values['allow-untried'] && '--allow-untried',
  ].filter((option) => option !== false)
  return options.length === 0 ? 'npm run prove' : `npm run prove:soak -- ${options.join(' ')}`
}
