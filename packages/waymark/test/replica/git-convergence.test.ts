import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTeam } from './clones.ts'
import { applyEdit, edit, expectKept, expectLogged, expectNothing } from './edits.ts'
import { isSample } from '../level.ts'
import { SEED } from '../seed.ts'

const RUNS = Number(process.env['WAYMARK_RUNS'] ?? (isSample ? 1 : 2))
const LIMIT = { timeout: 120_000 + RUNS * 30_000 }

/** Somebody edits, or exchanges with the remote, perhaps without sending, perhaps at the same time as another one. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ who: fc.nat(2), edit }) },
  { weight: 1, arbitrary: fc.record({ who: fc.nat(2), push: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ who: fc.nat(2), with: fc.nat(2) }) },
)

test(
  'clones that exchange through a bare repository converge to the same bytes, and can show every version [git-convergence-clones-exchange]',
  LIMIT,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        await using team = createTeam()
        const clones = [await team.clone('ada'), await team.clone('bob'), await team.clone('cleo')]
        const expected = expectNothing()
        const at = (index: number) => clones[index % clones.length] ?? expect.unreachable()
        for (const taken of steps) {
          if ('edit' in taken) await applyEdit(at(taken.who), taken.edit, expected)
          else if ('push' in taken) await at(taken.who).sync({ push: taken.push })
          else await Promise.all([...new Set([taken.who, taken.with])].map((who) => at(who).sync()))
        }
        // Once to send, once to hear what was sent after that; numbers that were settled then need one more round.
        for (const clone of [...clones, ...clones, ...clones])
          await clone.sync({ accept_purges: true })

        const [first, ...others] = await Promise.all(clones.map((clone) => clone.snapshot()))
        for (const other of others) expect(other).toEqual(first)
        for (const clone of clones) {
          await expectKept(clone, expected)
          await expectLogged(clone, expected)
        }
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    )
  },
)
