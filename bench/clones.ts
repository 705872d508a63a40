// What a claim costs that a Git remote grants: with 1, 4 and 16 clones at once, and the size of the ref after many claims.
// All clones are in one process, because git does nearly all of the work in processes of its own.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Context, createContext } from '../packages/waymark/src/core/context.ts'
import { Failure } from '../packages/waymark/src/core/error.ts'
import { execute } from '../packages/waymark/src/core/execute.ts'
import { initialiseProject, openProject } from '../packages/waymark/src/core/project/project.ts'
import { SILENT } from '../packages/waymark/src/support/logger.ts'
import { runSync } from '../packages/waymark/src/sync/operations.ts'
import { claimTask } from '../packages/waymark/src/task/lease/operations.ts'
import { createTask } from '../packages/waymark/src/task/operations.ts'
import { completeTask } from '../packages/waymark/src/task/state/operations.ts'
import { median, sum, toRatio } from './statistics.ts'
import { takeTurns } from './turns.ts'

const CONTENDERS = [1, 4, 16]
/** By all contenders of a round together. */
const CLAIMS = 48
const ROUNDS = Number(process.env['WAYMARK_ROUNDS'] ?? 3)
/** Claims after which the ref is measured. */
const MANY = Number(process.env['WAYMARK_CLAIMS'] ?? 1_500)
/** Measured before that as well, to see whether the ref grows. */
const FEW = 1_200
const KEPT_OF = 100
const KEPT_SECONDS = 7200
const REPORTED_EVERY = 400
const LIVE = 'refs/waymark/live'

const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'waymark-bench-'))
try {
  await measureThroughput()
  await measureSize()
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

interface Round {
  readonly seconds: number
  /** Calls of git that reach the remote, for one claim. */
  readonly calls: number
  readonly slowest: number
  /** Claims that were answered with "try again". */
  readonly gaveUp: number
}

async function measureThroughput(): Promise<void> {
  await using team = await openTeam('throughput', Math.max(...CONTENDERS))
  const contenders = CONTENDERS.map(
    (count) => [`${count} clones`, () => claimTogether(team, count)] as const,
  )
  const samples = await takeTurns(ROUNDS, Object.fromEntries(contenders))
  const alone = toRates(samples.get('1 clones') ?? [])
  for (const [name, rounds] of samples) {
    const rates = toRates(rounds)
    console.log(
      `claims by ${name.padStart(9)} at once: ${median(rates).toFixed(1)} a second, ratio ${toRatio(rates, alone).toFixed(2)}; ` +
        `calls to the remote for each ${median(rounds.map(({ calls }) => calls)).toFixed(1)}, slowest ${median(rounds.map(({ slowest }) => slowest)).toFixed(1)} s, ` +
        `told to try again ${sum(rounds.map(({ gaveUp }) => gaveUp))}`,
    )
  }
}

function toRates(rounds: readonly Round[]): readonly number[] {
  return rounds.map(({ seconds }) => CLAIMS / seconds)
}

/** Each clone claims tasks of its own, so that they compete for the ref and never for a task. */
async function claimTogether({ clones }: Team, count: number): Promise<Round> {
  const working = clones.slice(0, count)
  const tasks: string[][] = []
  for (const context of working) tasks.push(await createTasks(context, CLAIMS / count))
  const trace = join(folder, `trace-${performance.now()}`)
  process.env['GIT_TRACE'] = trace
  const took: number[] = []
  let gaveUp = 0
  const start = performance.now()
  await Promise.all(
    working.map(async (context, at) => {
      for (const id of tasks[at] ?? []) {
        const asked = performance.now()
        while (!(await isGranted(context, id))) gaveUp += 1
        took.push(performance.now() - asked)
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  delete process.env['GIT_TRACE']
  const calls = readFileSync(trace, 'utf8').match(/built-in: git (?:fetch|push|ls-remote) /g)
  for (const [at, context] of working.entries()) {
    for (const id of tasks[at] ?? []) await execute(context, completeTask, { id })
  }
  const slowest = Math.max(...took) / 1000
  return { seconds, calls: (calls?.length ?? 0) / CLAIMS, slowest, gaveUp }
}

async function isGranted(context: Context, id: string): Promise<boolean> {
  try {
    await execute(context, claimTask, { id })
    return true
  } catch (error) {
    if (error instanceof Failure && error.code === 'busy') return false
    throw error
  }
}

/** Clones claim in turns, complete what they have claimed, and keep one of a hundred tasks. */
async function measureSize(): Promise<void> {
  await using team = await openTeam('size', 4)
  const share = Math.ceil(MANY / team.clones.length)
  const tasks: string[][] = []
  for (const context of team.clones) tasks.push(await createTasks(context, share))
  for (let at = 0; at < share; at += 1) {
    for (const [index, context] of team.clones.entries()) {
      const id = tasks[index]?.[at] ?? ''
      await execute(context, claimTask, { id, seconds: KEPT_SECONDS })
      // The remote is told of a closed task with the next claim.
      const quiet: Context = { ...context, coordination: 'local' }
      if (at % KEPT_OF !== 0) await execute(quiet, completeTask, { id })
    }
    const claims = (at + 1) * team.clones.length
    if (claims % REPORTED_EVERY === 0) console.error(`${claims} claims`)
    if (claims === FEW || at === share - 1) printSize(team, claims)
  }
}

function printSize(team: Team, claims: number): void {
  const ids = git(team.remote, 'rev-list', '--objects', '--no-object-names', LIVE)
  const printed = execFileSync(
    'git',
    ['-C', team.remote, 'cat-file', '--batch-check=%(objectsize) %(objectsize:disk)'],
    { encoding: 'utf8', input: ids },
  )
  const sizes = printed
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number))
  const [plain, stored] = [0, 1].map((at) => sum(sizes.map((size) => size[at] ?? 0)) / 1024)
  console.log(
    `${LIVE} after ${claims.toLocaleString('en')} claims: ${sizes.length} objects, ${plain?.toFixed(1)} KB, compressed ${stored?.toFixed(1)} KB`,
  )
}

interface Team extends AsyncDisposable {
  readonly remote: string
  readonly clones: readonly Context[]
}

async function openTeam(name: string, count: number): Promise<Team> {
  const remote = join(folder, `${name}.git`)
  git(folder, 'init', '--quiet', '--bare', remote)
  const open: AsyncDisposable[] = []
  const clones: Context[] = []
  for (let at = 0; at < count; at += 1) {
    const directory = join(folder, `${name}-${at}`)
    git(folder, 'clone', '--quiet', remote, directory)
    await initialiseProject(directory)
    const project = await openProject(directory)
    open.push(project)
    const { store, root, state, code } = project
    const context = createContext({
      store,
      agent: { name: `agent ${at}`, surface: 'api' },
      logger: SILENT,
      project: { root, state },
      code,
      coordination: 'git',
    })
    await execute(context, runSync, {})
    clones.push(context)
  }
  return {
    remote,
    clones,
    [Symbol.asyncDispose]: async () => {
      for (const project of open) await project[Symbol.asyncDispose]()
    },
  }
}

async function createTasks(context: Context, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at += 1) {
    ids.push((await execute(context, createTask, { title: `Task ${at}` })).task.id)
  }
  return ids
}

function git(directory: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', directory, ...args], { encoding: 'utf8', stdio: 'pipe' })
}
