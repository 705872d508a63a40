import type { Findings, Proof, Trial } from '../../proof.ts'
import { createProject } from '../../system/repository.ts'
import { checkTask } from './checker.ts'
import { countDoubleClaims, countLateCalls, countStaleWrites, measureLength } from './violations.ts'
import { LEASE_FAULTS, type LeaseFault } from './faults.ts'
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
    return judge(await makeHistories(trial, { skew: 0, jumps: false }), 'right')
  },
}

/** The same with clocks that are ten minutes wrong in either direction and are set, by minutes or a day, at any time. */
export const wrongClocks: Proof = {
  id: 'wrong-clocks',
  promise:
    'No task is claimed twice though clocks are ten minutes off and set by a day while it is held',
  unit: 'calls on leases',
  goal: 10_000,
  faults: ['naive_claim', 'no_fence'],
  async run(trial) {
    const histories = await makeHistories(trial, { skew: SKEW_MS, jumps: true })
    const lengths = histories.map(measureLength)
    return {
      ...judge(histories, 'wrong'),
      figures: {
        early_seconds: Math.max(...lengths.map(({ early }) => early)),
        late_seconds: Math.max(...lengths.map(({ late }) => late)),
      },
    }
  },
}

async function makeHistories(
  { seed, level, fault }: Trial,
  clocks: Pick<HistoryOptions, 'skew' | 'jumps'>,
): Promise<Call[][]> {
  using project = await createProject()
  const histories = await runHistory({
    directory: project.path,
    workers: fault === undefined ? PROCESSES : 6,
    callsEach: fault === undefined ? CALLS_EACH[level] : 80,
    tasks: fault === undefined ? 6 : 2,
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
