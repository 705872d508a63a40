import type { Findings, Proof, Trial } from '../../proof.ts'
import { createProject } from '../../system/repository.ts'
import { checkTask } from './checker.ts'
import {
  countDatedWrong,
  countDoubleClaims,
  countLateCalls,
  countStaleWrites,
  measureLength,
} from './violations.ts'
import { CLOCK_FAULTS, LEASE_FAULTS, type LeaseFault } from './faults.ts'
import type { Call } from './record.ts'
import { type HistoryOptions, runHistory } from './run-history.ts'

const PROCESSES = 16
const CALLS_EACH = { short: 100, full: 600 }
const SKEW_MS = 10 * 60_000

/** Sixteen processes fight for six tasks while now and then one of them is paused for longer than its leases last. */
export const leases: Proof = {
  id: 'leases',
  promise:
    'No task is claimed twice and no late writer gets through: every answer fits one order of events',
  unit: 'calls on leases',
  goal: 100_000,
  faults: LEASE_FAULTS,
  async run(trial) {
    const clocks = { skew: 0, jumps: false, makesFiles: true, processes: PROCESSES }
    return judge(await makeHistories(trial, clocks), 'right')
  },
}

/** By so many seconds a lease may end early or late: the store takes clocks that differ by two for equal. */
const SECONDS_OFF = 5

/**
 * The same with clocks that are ten minutes wrong in either direction and are set, by a minute or by 1000 years, at any
 * time. Where processes can tell that by the time of a new file, everything is dated right; where none can, a lease lasts
 * as long as it should all the same.
 */
export const wrongClocks: Proof = {
  id: 'wrong-clocks',
  promise:
    'No task is claimed twice though clocks are ten minutes off and set by a day while it is held',
  unit: 'calls on leases',
  goal: 10_000,
  faults: ['naive_claim', 'no_fence', ...CLOCK_FAULTS],
  async run(trial) {
    const clocks = { skew: SKEW_MS, jumps: true, processes: PROCESSES / 2 }
    const histories = await makeHistories(trial, { ...clocks, makesFiles: false })
    // A mistake in the store shows where nothing keeps wrong clocks away from it.
    const dated =
      trial.fault === undefined ? await makeHistories(trial, { ...clocks, makesFiles: true }) : []
    histories.push(...dated)
    const { violations, ...found } = judge(histories, 'wrong')
    const lengths = histories.map(measureLength)
    const early = lengths.map((length) => length.early)
    const late = lengths.map((length) => length.late)
    return {
      ...found,
      violations: {
        ...violations,
        ended_early: early.filter((seconds) => seconds > SECONDS_OFF).length,
        lasted_too_long: late.filter((seconds) => seconds > SECONDS_OFF).length,
        dated_wrong: sum(dated.map((calls) => countDatedWrong(calls, SECONDS_OFF))),
      },
      figures: { early_seconds: Math.max(...early), late_seconds: Math.max(...late) },
    }
  },
}

interface Clocks extends Pick<HistoryOptions, 'skew' | 'jumps' | 'makesFiles'> {
  readonly processes: number
}

async function makeHistories(
  { seed, level, fault }: Trial,
  { processes, ...clocks }: Clocks,
): Promise<Call[][]> {
  using project = await createProject()
  const histories = await runHistory({
    directory: project.path,
    workers: fault === undefined ? processes : 6,
    callsEach: fault === undefined ? CALLS_EACH[level] : 80,
    tasks: fault === undefined ? (6 * processes) / PROCESSES : 2,
    seed,
    ...clocks,
    fault: fault as LeaseFault | undefined,
  })
  return [...histories.values()]
}

function judge(histories: readonly (readonly Call[])[], clocks: 'right' | 'wrong'): Findings {
  const verdicts = histories.map((calls) => checkTask(calls, clocks))
  const stuck = verdicts.find(({ ok }) => !ok)?.stuckAt
  return {
    tried: histories.flat().length,
    violations: {
      double_claims: sum(histories.map(countDoubleClaims)),
      stale_writes: sum(histories.map(countStaleWrites)),
      unexplained: verdicts.filter(({ ok }) => !ok).length,
    },
    counts: { late_calls: sum(histories.map(countLateCalls)) },
    example: stuck && `no order of events explains ${JSON.stringify(stuck)}`,
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
