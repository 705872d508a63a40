import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, createContext } from '../../../packages/waymark/src/core/context.ts'
import { execute } from '../../../packages/waymark/src/core/execute.ts'
import {
  initialiseProject,
  openProject,
} from '../../../packages/waymark/src/core/project/project.ts'
import { runSync } from '../../../packages/waymark/src/sync/operations.ts'
import { SILENT } from '../../../packages/waymark/src/support/logger.ts'
import { claimTask, renewTask } from '../../../packages/waymark/src/task/lease/operations.ts'
import { createTask } from '../../../packages/waymark/src/task/operations.ts'
import type { Findings, Proof, Trial } from '../../proof.ts'
import { contextOf } from '../../system/agent.ts'
import { createFolder, IN_MEMORY } from '../../system/folder.ts'
import { buildProgram, Program, type SourceFault } from '../../system/program.ts'
import { judge } from './judge.ts'
import { type CloneAssignment, type CloneReport, type KeptTask, zeroOf } from './record.ts'

const CLONES = 5
const AGENTS = 4
const SECONDS = { short: 20, full: 240 }
/** How long a process lives before it is paused and killed, at least. */
const LIFE_MS = { short: 3_000, full: 40_000 }
/** Enough that agents seldom wait for one another; with a planted mistake so few that they always meet. */
const TASKS = { right: 48, planted: 3 }
const NINE_MINUTES = 9 * 60_000

/** Mistakes in the register at the remote. */
const FAULTS: readonly SourceFault[] = [
  {
    name: 'no_lease_on_push',
    file: 'sync/live/live-remote.ts',
    right: "const lease = `--force-with-lease=${ref}:${tip ?? ''}`",
    wrong: "const lease = tip === ref ? '' : '--force'",
  },
  {
    name: 'expiry_by_local_clock',
    file: 'sync/live/register.ts',
    right: 'return expires + CLOCK_SKEW_MS',
    wrong: 'return expires',
  },
  {
    name: 'fence_reused',
    file: 'task/lease/shared/acquire.ts',
    right: 'const fence = Math.max(next.fence, lease?.fence ?? 0) + 1',
    wrong: 'const fence = (lease?.fence ?? 0) + 1',
  },
]

/**
 * Five clones of one bare remote with four agents each, clocks that are up to nine minutes wrong, kills, pauses and times
 * without the remote. Time runs so much faster that leases of hours end meanwhile.
 */
export const cloneClaims: Proof = {
  id: 'clone-claims',
  promise:
    'No task is granted to two clones at once and no late completion gets through, with a Git remote and no server',
  unit: 'granted claims',
  goal: 10_000,
  faults: FAULTS.map(({ name }) => name),
  run: tryClones,
}

async function tryClones({ level, seed, fault: name }: Trial): Promise<Findings> {
  const fault = FAULTS.find((each) => each.name === name)
  using folder = createFolder(IN_MEMORY)
  const script = await buildProgram(new URL('clone.program.ts', import.meta.url), fault)
  const { remote, clones, tasks } = await createClones(
    folder.path,
    fault === undefined ? TASKS.right : TASKS.planted,
  )
  const start = Date.now()
  const until = start + 1000 * SECONDS[level]
  const speed = seed % 2 === 0 || fault !== undefined ? 200 : 1_000
  const kept = await claimLongAgo(clones[0] ?? '', tasks[0] ?? '', { start, skew: -NINE_MINUTES })
  const toAssignment = (directory: string, at: number): CloneAssignment => ({
    directory,
    remote,
    clone: `clone ${at}`,
    agents: Array.from({ length: AGENTS }, (_, agent) => `agent ${at}.${agent}`),
    tasks,
    // The first clock is the slowest, the last the fastest.
    skew: Math.round(NINE_MINUTES * ((2 * at) / (CLONES - 1) - 1)),
    seed: 1_000_003 * seed + at,
    start,
    until,
    speed,
    kept: at === 0 ? kept : undefined,
  })
  const disturbed = clones.map((directory, at) =>
    runDisturbed(script, toAssignment(directory, at), {
      isCalm: at === 0 || name !== undefined,
      lifeMs: LIFE_MS[level],
    }),
  )
  const runs = await Promise.all(disturbed)
  const verdict = judge(runs.flatMap(({ reports }) => reports))
  const unsettled = await countUnsettled(clones)
  const kills = runs.reduce((sum, run) => sum + run.kills, 0)
  return {
    tried: verdict.granted,
    violations: {
      double_grants: verdict.doubleGrants,
      stale_completions: verdict.staleCompletions,
      fences_reused: verdict.fencesReused,
      unsettled,
    },
    counts: { provisional: verdict.provisional, completions: verdict.completions, kills },
    figures: { register_bytes: registerBytes(remote) },
    example: verdict.example,
  }
}

interface Disturbed {
  readonly reports: readonly CloneReport[]
  readonly kills: number
}

/** Kills the process of a clone now and then and starts another; sometimes it is only paused. */
async function runDisturbed(
  script: string,
  assignment: CloneAssignment,
  { isCalm, lifeMs }: { readonly isCalm: boolean; readonly lifeMs: number },
): Promise<Disturbed> {
  const reports: CloneReport[] = []
  let kills = 0
  for (let life = 0; ; life += 1) {
    const program = new Program(script, { ...assignment, seed: assignment.seed + 101 * life })
    const left = assignment.until - Date.now()
    const isLast = isCalm || left < lifeMs + 7_000
    if (!isLast) {
      await sleep(lifeMs + ((assignment.seed + 977 * life) % 4_000))
      program.signal('SIGSTOP')
      await sleep(300 + ((assignment.seed + 31 * life) % 900))
      program.signal('SIGCONT')
      await sleep(800)
      await program.kill()
      kills += 1
      reports.push(...program.reports<CloneReport>())
      continue
    }
    await program.finish()
    return { reports: [...reports, ...program.reports<CloneReport>()], kills }
  }
}

interface Clones {
  readonly remote: string
  readonly clones: readonly string[]
  readonly tasks: readonly string[]
}

async function createClones(folder: string, count: number): Promise<Clones> {
  const remote = join(folder, 'remote.git')
  git(folder, 'init', '--quiet', '--bare', remote)
  // Collected by the server of a real remote, not with every hundredth push.
  git(remote, 'config', 'receive.autogc', 'false')
  const clones: string[] = []
  const tasks: string[] = []
  for (let at = 0; at < CLONES; at += 1) {
    const directory = join(folder, `clone-${at}`)
    git(folder, 'clone', '--quiet', remote, directory)
    git(directory, 'config', 'user.name', `Person ${at}`)
    await initialiseProject(directory)
    await using project = await openProject(directory)
    const context = contextOf(project, `person ${at}`)
    for (let task = 0; at === 0 && task < count; task += 1) {
      tasks.push((await execute(context, createTask, { title: `Task ${task}` })).task.id)
    }
    await execute(context, runSync, {})
    clones.push(directory)
  }
  return { remote, clones, tasks }
}

/** A lease that ends half an hour after the start, because the remote could not be asked to renew it. */
async function claimLongAgo(
  directory: string,
  id: string,
  { start, skew }: { readonly start: number; readonly skew: number },
): Promise<KeptTask> {
  await using project = await openProject(directory)
  const { store, root, state, code } = project
  const name = 'agent 0.0'
  const zero = zeroOf({ start })
  const at = (hours: number): Context =>
    createContext({
      store,
      agent: { name, surface: 'api' },
      logger: SILENT,
      project: { root, state },
      code,
      coordination: 'git',
      now: () => zero + hours * HOUR_MS + skew,
    })
  const { lease } = await execute(at(-3.4), claimTask, { id, seconds: 7200 })
  for (const hours of [-1.9, -0.1]) {
    if (hours > -1) git(directory, 'config', 'remote.origin.url', join(root, 'away.git'))
    await execute(at(hours), renewTask, { id, seconds: 7200, fence: lease.fence })
  }
  return {
    task: id,
    agent: name,
    fence: lease.fence,
    provisional: false,
    at: zero - 3.4 * HOUR_MS,
  }
}

const HOUR_MS = 60 * 60 * 1000

/** Claims made offline that no sync has settled. */
async function countUnsettled(clones: readonly string[]): Promise<number> {
  let unsettled = 0
  for (const directory of clones) {
    await using project = await openProject(directory)
    const rows = await project.store.leases.shared.rows(0)
    unsettled += rows.filter(({ state }) => state === 'provisional').length
  }
  return unsettled
}

function registerBytes(remote: string): number {
  const sizes = git(remote, 'ls-tree', '-l', 'refs/waymark/live').split('\n')
  return sizes.reduce((sum, line) => sum + (Number(line.split(/\s+/)[3]) || 0), 0)
}

function git(directory: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', directory, ...args], { encoding: 'utf8', stdio: 'pipe' })
}
