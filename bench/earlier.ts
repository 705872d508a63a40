// What commands cost beside an earlier build of Waymark: CPU time of the command and of every git that it starts.
// Usage: npm run bench:earlier -- <checkout of the other version, built>
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, toRatio } from './statistics.ts'
import { inTurn } from './turns.ts'

const ROUNDS = Number(process.env['WAYMARK_ROUNDS'] ?? 9)
const ROOT = fileURLToPath(new URL('../', import.meta.url))
const [earlier] = process.argv.slice(2)
if (earlier === undefined) throw new Error('name a built checkout of another version')

/** One build in a clone of its own, with a remote of its own. */
interface Side {
  readonly name: string
  readonly clone: string
  readonly run: (...args: readonly string[]) => void
  /** Milliseconds of CPU. */
  readonly cost: (...args: readonly string[]) => number
}

/** In this order: each leaves what the next one needs. */
type Step = readonly [name: string, cost: (side: Side, round: number) => number]

const STEPS: readonly Step[] = [
  ['claim', (side, round) => (addTask(side, round), side.cost('task', 'claim', `${round + 2}`))],
  ['complete', (side, round) => side.cost('task', 'complete', `${round + 2}`)],
  ['annotate', (side, round) => (commit(side, round), side.cost(...annotation(round)))],
  ['sync with news', (side) => side.cost('sync')],
  ['idle sync', (side) => side.cost('sync')],
]

const LOCAL_STEPS: readonly Step[] = [
  ['claim, not synced', (side, round) => (addTask(side, round), claimed(side, round))],
  ['sync with news, local', (side) => side.cost('sync')],
  ['idle sync, local', (side) => side.cost('sync')],
]

const folder = mkdtempSync(join(tmpdir(), 'waymark-earlier-'))
try {
  const sides = [openSide('now', ROOT), openSide('earlier', earlier)]
  const local = [openSide('now local', ROOT, 'local'), openSide('earlier local', earlier)]
  report(sides, STEPS)
  report(local, LOCAL_STEPS)
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

function report(sides: readonly Side[], steps: readonly Step[]): void {
  const costs = new Map<string, number[]>()
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [step, cost] of steps) {
      for (const side of inTurn(sides, Math.max(round, 0))) {
        const used = cost(side, round + 1)
        const key = `${step} ${side.name}`
        if (round >= 0) costs.set(key, [...(costs.get(key) ?? []), used])
      }
    }
  }
  const [now, before] = sides
  for (const [step] of steps) {
    const own = costs.get(`${step} ${now?.name}`) ?? []
    const other = costs.get(`${step} ${before?.name}`) ?? []
    const ratio = toRatio(own, other)
    const total = median(own) / median(other)
    console.log(
      `${step.padEnd(22)} ${median(own).toFixed(0).padStart(5)} ms of CPU, earlier ${median(other).toFixed(0).padStart(5)} ms, ratio ${ratio.toFixed(2)}, of medians ${total.toFixed(2)}`,
    )
  }
}

function openSide(name: string, checkout: string, coordination?: string): Side {
  const place = join(folder, name.replaceAll(' ', '-'))
  const clone = join(place, 'clone')
  mkdirSync(place)
  git(place, 'init', '--quiet', '--bare', 'remote.git')
  git(place, 'clone', '--quiet', 'remote.git', 'clone')
  git(clone, 'config', 'user.name', 'Ann')
  git(clone, 'config', 'user.email', 'ann@example.com')
  const command = join(checkout, 'packages', 'waymark', 'bin', 'waymark.js')
  const env = {
    ...process.env,
    HOME: place,
    ...(coordination !== undefined && { WAYMARK_COORDINATION: coordination }),
  }
  const run = (...args: readonly string[]): void => {
    execFileSync(process.execPath, [command, ...args], { cwd: clone, env, stdio: 'pipe' })
  }
  const cost = (...args: readonly string[]): number => {
    // The shell knows what all that it started has used.
    const script = 'set -e; TIMEFORMAT="%3U %3S"; { time "$@" >/dev/null; } 2>&1'
    const called = ['-c', script, 'bash', process.execPath, command, ...args]
    const printed = execFileSync('bash', called, { cwd: clone, env, encoding: 'utf8' })
    const [user = Number.NaN, system = Number.NaN] = printed.trim().split(/\s+/).map(Number)
    return 1000 * (user + system)
  }
  const side = { name, clone, run, cost }
  writeFileSync(join(clone, 'a.ts'), 'export function first() {\n  return 1\n}\n')
  git(clone, 'add', '.')
  git(clone, 'commit', '--quiet', '-m', 'Begin')
  git(clone, 'push', '--quiet', 'origin', 'HEAD')
  run('init')
  run('add', 'note', 'The first of all')
  run('sync')
  return side
}

function addTask({ run }: Side, round: number): void {
  run('task', 'add', `Task ${round}`)
}

function claimed({ cost }: Side, round: number): number {
  return cost('task', 'claim', `${round + 2}`)
}

function commit({ clone }: Side, round: number): void {
  appendFileSync(join(clone, 'a.ts'), `export function next${round}() {\n  return ${round}\n}\n`)
  git(clone, 'commit', '--quiet', '--all', '-m', `Add ${round}`)
}

function annotation(round: number): readonly string[] {
  const place = { file: 'a.ts', ast_anchor: { unit_type: 'function', name: `next${round}` } }
  const region = {
    ...place,
    intent: `Needed by caller ${round}`,
    reasoning: 'No other place knows it',
  }
  return ['code', 'annotate', '--summary', `Why ${round}`, '--region', JSON.stringify(region)]
}

function git(directory: string, ...args: readonly string[]): void {
  execFileSync('git', ['-C', directory, ...args], { stdio: 'pipe' })
}
