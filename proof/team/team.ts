import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../packages/baton/test/support/random.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { buildProgram } from '../system/program.ts'
import { COMMAND, serverObstacle } from '../system/server.ts'
import { Caller } from './caller.ts'
import { TEAM_FAULTS } from './faults.ts'
import { Follower } from './follower.ts'
import { judge } from './judge.ts'
import { type Disturbance, Site } from './site.ts'
import { Ledger, work } from './worker.ts'

interface Size {
  readonly replicas: number
  readonly clientsEach: number
  readonly tasksEach: number
  readonly disturbances: readonly Disturbance[]
  /** Of so many commits through the pooling proxy one is lost, and the answer to one. */
  readonly commitsPerLoss: number
}

const SHORT: readonly Disturbance[] = ['cut', 'kill', 'cut', 'restart', 'cut', 'failOver', 'kill']

const SIZES: Readonly<Record<'short' | 'full' | 'fault', Size>> = {
  short: { replicas: 4, clientsEach: 4, tasksEach: 6, disturbances: SHORT, commitsPerLoss: 20 },
  full: {
    replicas: 4,
    clientsEach: 16,
    tasksEach: 80,
    disturbances: [...SHORT, ...SHORT, ...SHORT],
    commitsPerLoss: 100,
  },
  fault: {
    replicas: 2,
    clientsEach: 4,
    tasksEach: 5,
    disturbances: ['cut', 'cut', 'cut', 'cut'],
    commitsPerLoss: 6,
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

/** A commit that is not heard of is seen by the next poll, a second later; so much is allowed on a busy machine. */
const LATE_MS = 5_000

async function tryTeam({ seed, level, fault }: Trial): Promise<Findings> {
  const size = SIZES[fault === undefined ? level : 'fault']
  const planted = fault === undefined ? [] : (TEAM_FAULTS[fault] ?? [])
  const command =
    planted.length === 0
      ? COMMAND
      : await buildProgram(new URL('replica.program.ts', import.meta.url), ...planted)
  const hasStandby = fault === undefined
  await using site = await Site.start({ ...size, command, hasStandby, seed })
  const caller = new Caller(site)
  const ledger = new Ledger()
  let isOver = false
  let last: number | undefined
  const followers = site.replicas.map((_, at) => new Follower(caller, at))
  const following = Promise.all(followers.map((follower) => follower.run(() => last)))
  const working = Promise.all(
    Array.from({ length: size.replicas * size.clientsEach }, (_, client) =>
      work({ caller, ledger, client, replicas: size.replicas, tasks: size.tasksEach, seed }),
    ),
  ).finally(() => (isOver = true))
  await Promise.all([working, site.disturb(size.disturbances, () => isOver)])
  const sleptThrough = await countSleptThrough({ caller, site, ledger, followers })
  const kept = await judge(site.url, site.schema, ledger)
  last = kept.lastEvent
  // Those that wait for more are told of one more.
  await createOne({ caller, ledger })
  last = (await judge(site.url, site.schema, ledger)).lastEvent
  await following
  caller.close()
  const crashed = site.crashed()
  return {
    tried: ledger.claims.length + ledger.completed.size,
    violations: {
      double_claims: Math.max(ledger.doubleClaims, kept.doubleClaims),
      stale_writes: ledger.staleWrites,
      lost: kept.lost,
      gaps: kept.gaps + sum(followers.map(({ found }) => found.gaps)),
      repeats: sum(followers.map(({ found }) => found.repeats)),
      slept_through: sleptThrough,
      unread: ledger.unread,
      refused: ledger.refused.length,
      errors: caller.errors.length,
      stuck: caller.stuck.length,
      crashed: crashed.length,
    },
    counts: {
      ...site.counts,
      pooled_transactions: site.pooled,
      late_calls: ledger.lateCalls,
      reads_elsewhere: ledger.reads,
      events_followed: sum(followers.map(({ found }) => found.events)),
      calls_repeated: caller.counts.repeated,
    },
    example: [kept.example, ...ledger.refused, ...caller.errors, ...crashed].find(Boolean),
  }
}

interface Quiet {
  readonly caller: Caller
  readonly site: Site
  readonly ledger: Ledger
  readonly followers: readonly Follower[]
}

/** With nothing else going on, a client that waits at one replica hears of a write at another. */
async function countSleptThrough(quiet: Quiet): Promise<number> {
  let slept = 0
  for (let round = 0; round < 2; round += 1) {
    await sleep(300)
    await createOne(quiet)
    const { lastEvent } = await judge(quiet.site.url, quiet.site.schema, quiet.ledger)
    const deadline = performance.now() + LATE_MS
    const isBehind = ({ cursor }: Follower): boolean => cursor < lastEvent
    while (quiet.followers.some(isBehind) && performance.now() < deadline) await sleep(50)
    slept += quiet.followers.filter(isBehind).length
  }
  return slept
}

async function createOne({ caller, ledger }: Pick<Quiet, 'caller' | 'ledger'>): Promise<void> {
  const options = { agent: 'late', home: 0, random: createRandom(0) }
  const answer = await caller.call('task.create', { title: 'One more' }, options)
  const { task } = (answer?.body ?? {}) as { task?: { readonly id: string } }
  if (task !== undefined) ledger.created.add(task.id)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
