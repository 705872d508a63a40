import type { Proof, Trial } from '../../proof.ts'
import { createProject } from '../../system/repository.ts'
import { checkTask } from './checker.ts'
import { countDoubleClaims, countStaleWrites } from './violations.ts'
import { LEASE_FAULTS, type LeaseFault } from './faults.ts'
import type { Call } from './record.ts'
import { runHistory } from './run-history.ts'

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
    const histories = await makeHistories(trial, 0)
    const verdicts = histories.map(checkTask)
    const stuck = verdicts.find(({ ok }) => !ok)?.stuckAt
    const { tried, ...found } = count(histories)
    return {
      tried,
      violations: { ...found, unexplained: verdicts.filter(({ ok }) => !ok).length },
      example: stuck && `no order of events explains ${JSON.stringify(stuck)}`,
    }
  },
}

/** The same with clocks that are up to ten minutes wrong in either direction. */
export const wrongClocks: Proof = {
  id: 'wrong-clocks',
  promise: 'No task is claimed twice though the clocks of the processes are ten minutes off',
  unit: 'calls on leases',
  goal: 10_000,
  faults: ['naive_claim', 'no_fence'],
  async run(trial) {
    const { tried, ...violations } = count(await makeHistories(trial, SKEW_MS))
    return { tried, violations }
  },
}

async function makeHistories({ seed, level, fault }: Trial, skew: number): Promise<Call[][]> {
  using project = await createProject()
  const histories = await runHistory({
    directory: project.path,
    workers: fault === undefined ? PROCESSES : 6,
    callsEach: fault === undefined ? CALLS_EACH[level] : 80,
    tasks: fault === undefined ? 6 : 2,
    seed,
    skew,
    fault: fault as LeaseFault | undefined,
  })
  return [...histories.values()]
}

function count(histories: readonly (readonly Call[])[]): {
  tried: number
  double_claims: number
  stale_writes: number
} {
  return {
    tried: histories.flat().length,
    double_claims: histories.reduce((sum, calls) => sum + countDoubleClaims(calls), 0),
    stale_writes: histories.reduce((sum, calls) => sum + countStaleWrites(calls), 0),
  }
}
