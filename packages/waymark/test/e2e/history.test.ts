import { describe, expect, it } from 'vitest'
import { createRepository } from '../setup.ts'
import { checkTask } from './history/checker.ts'
import { FAULTS } from './history/faults.ts'
import type { Call } from './history/record.ts'
import { runHistory } from './history/run-history.ts'

/** Longer for a soak: `WAYMARK_HISTORY_CALLS=7000` makes more than a hundred thousand calls. */
const CALLS_EACH = Number(process.env['WAYMARK_HISTORY_CALLS'] ?? 100)
const SEED = Number(process.env['WAYMARK_HISTORY_SEED'] ?? 1)

/** Two leases of one task with the same number, or writes with a number after a newer one was given. */
function violations(calls: readonly Call[]): { doubles: number; stale: number } {
  const grants = calls.flatMap((call) =>
    call.outcome.is === 'granted' ? [{ end: call.end, fence: call.outcome.fence }] : [],
  )
  const doubles = grants.length - new Set(grants.map(({ fence }) => fence)).size
  const accepted = calls.filter(({ kind, outcome }) => kind !== 'claim' && outcome.is === 'done')
  const stale = accepted.filter(({ fence, start }) =>
    grants.some((grant) => fence !== undefined && grant.fence > fence && grant.end < start),
  )
  return { doubles, stale: stale.filter(({ kind }) => kind !== 'reopen').length }
}

describe('sixteen processes claim, renew, release, write, complete and reopen', () => {
  it('every answer fits one order of events for each task: no double claim, no stale write', async () => {
    await using repository = createRepository()
    const histories = await runHistory({
      directory: repository.directory,
      workers: 16,
      callsEach: CALLS_EACH,
      tasks: 6,
      seed: SEED,
    })
    const calls = [...histories.values()].flat()
    const count = (is: string) => calls.filter(({ outcome }) => outcome.is === is).length
    expect(calls).toHaveLength(16 * CALLS_EACH)
    // What is proved must have happened: leases, conflicts over them, and leases that ran out.
    expect(count('granted')).toBeGreaterThan(50)
    expect(count('refused')).toBeGreaterThan(50)
    for (const history of histories.values()) {
      expect(violations(history)).toEqual({ doubles: 0, stale: 0 })
      expect(checkTask(history)).toMatchObject({ ok: true })
    }
  })

  it.each(FAULTS)('the checker finds the planted mistake %s', async (fault) => {
    await using repository = createRepository()
    const histories = await runHistory({
      directory: repository.directory,
      workers: 6,
      callsEach: 80,
      tasks: 2,
      seed: SEED,
      fault,
    })
    const verdicts = [...histories.values()].map(checkTask)
    expect(verdicts.some(({ ok }) => !ok)).toBe(true)
  })
})
