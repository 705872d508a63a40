import type { Findings, Proof, Trial } from '../proof.ts'
import { buildProgram } from '../system/program.ts'
import { COMMAND, serverObstacle } from '../system/server.ts'
import { Caller } from './caller.ts'
import { TEAM_FAULTS } from './faults.ts'
import { ProjectTrial } from './project-trial.ts'
import { type Disturbance, Site } from './site.ts'
import { work } from './worker.ts'

interface Size {
  readonly replicas: number
  readonly projects: number
  readonly clientsEach: number
  readonly tasksEach: number
  readonly disturbances: readonly Disturbance[]
  /** Of so many commits through the pooling proxy one is lost, and the answer to one. */
  readonly commitsPerLoss: number
  /** How many milliseconds a call is repeated before it counts as stuck. */
  readonly patience: number
}

const SHORT: readonly Disturbance[] = ['cut', 'kill', 'cut', 'restart', 'cut', 'failOver', 'kill']

const SIZES: Readonly<Record<'short' | 'full' | 'fault', Size>> = {
  short: {
    replicas: 4,
    projects: 2,
    clientsEach: 4,
    tasksEach: 6,
    disturbances: SHORT,
    commitsPerLoss: 20,
    patience: 240_000,
  },
  full: {
    replicas: 4,
    // Two, so that writes of several clients share a transaction, and transactions of two projects meet.
    projects: 2,
    clientsEach: 16,
    tasksEach: 80,
    disturbances: [...SHORT, ...SHORT],
    commitsPerLoss: 100,
    patience: 240_000,
  },
  fault: {
    replicas: 2,
    projects: 1,
    clientsEach: 4,
    tasksEach: 5,
    disturbances: ['cut', 'cut', 'cut', 'cut'],
    commitsPerLoss: 6,
    // Without locks some calls never succeed, and the trial waits for each of them.
    patience: 30_000,
  },
}

/** Agents of a company at several replicas, while replicas, connections and the database fail. */
export const team: Proof = {
  id: 'team',
  promise:
    'Replicas on PostgreSQL act as one: one winner per claim, no stale write, nothing lost, no gap in the events',
  unit: 'claims and completions',
  goal: 10_000,
  faults: Object.keys(TEAM_FAULTS),
  obstacle: serverObstacle,
  run: tryTeam,
}

async function tryTeam({ seed, level, fault }: Trial): Promise<Findings> {
  const size = SIZES[fault === undefined ? level : 'fault']
  const planted = fault === undefined ? [] : (TEAM_FAULTS[fault] ?? [])
  const command =
    planted.length === 0
      ? COMMAND
      : await buildProgram(new URL('replica.program.ts', import.meta.url), ...planted)
  const hasStandby = fault === undefined
  await using site = await Site.start({ ...size, command, hasStandby, seed })
  const caller = new Caller({ replicas: site.replicas, patience: size.patience })
  const trials = site.projects.map((project) => new ProjectTrial(project, caller, site))
  await workWhileDisturbed({ site, caller, trials, size, seed })
  const sleptThrough = await Promise.all(trials.map((trial) => trial.countSleptThrough()))
  const kept = await Promise.all(trials.map((trial) => trial.finish()))
  caller.close()
  const crashed = site.crashed()
  const ledgers = trials.map(({ ledger }) => ledger)
  const followers = trials.flatMap((trial) => trial.followers)
  const refused = ledgers.flatMap((ledger) => ledger.refused)
  const doubled = trials.map(({ ledger }, at) =>
    Math.max(ledger.doubleClaims, kept[at]?.doubleClaims ?? 0),
  )
  return {
    tried: sum(ledgers.map(({ claims, completed }) => claims.length + completed.size)),
    violations: {
      double_claims: sum(doubled),
      stale_writes: sum(ledgers.map(({ staleWrites }) => staleWrites)),
      lost: sum(kept.map(({ lost }) => lost)),
      gaps: sum(kept.map(({ gaps }) => gaps)) + sum(followers.map(({ found }) => found.gaps)),
      repeats: sum(followers.map(({ found }) => found.repeats)),
      slept_through: sum(sleptThrough),
      unread: sum(ledgers.map(({ unread }) => unread)),
      refused: refused.length,
      errors: caller.errors.length,
      stuck: caller.stuck.length,
      crashed: crashed.length,
    },
    counts: {
      ...site.counts,
      pooled_transactions: site.pooled,
      late_calls: sum(ledgers.map(({ lateCalls }) => lateCalls)),
      reads_elsewhere: sum(ledgers.map(({ reads }) => reads)),
      events_followed: sum(followers.map(({ found }) => found.events)),
      calls_repeated: caller.counts.repeated,
    },
    example: [
      ...kept.map(({ example }) => example),
      ...refused,
      ...(caller.errors.length === 0 ? [] : [[...caller.errors, ...site.logged].join('\n')]),
      ...crashed,
    ].find(Boolean),
  }
}

interface Work {
  readonly site: Site
  readonly caller: Caller
  readonly trials: readonly ProjectTrial[]
  readonly size: Size
  readonly seed: number
}

/** Each project has clients at every replica. */
async function workWhileDisturbed({ site, caller, trials, size, seed }: Work): Promise<void> {
  const { replicas, tasksEach } = size
  const clients = replicas * size.clientsEach
  let isOver = false
  const done = (): number => {
    const completed = sum(trials.map(({ ledger }) => ledger.completed.size))
    return isOver ? 1 : Math.min(0.99, completed / (clients * tasksEach))
  }
  const working = Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const trial = trials[Math.floor(client / replicas) % trials.length]
      if (trial === undefined) return
      const { project, ledger } = trial
      await work({ caller, ledger, project, client, replicas, tasks: tasksEach, seed })
    }),
  ).finally(() => (isOver = true))
  await Promise.all([working, site.disturb(size.disturbances, done)])
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
