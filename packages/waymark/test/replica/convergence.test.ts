import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyEdit, edit, expectKept, expectLogged, expectNothing } from './edits.ts'
import { createReplica, type TestReplica } from './replicas.ts'
import { isSample } from '../level.ts'
import { SEED } from '../seed.ts'

const RUNS = Number(process.env['WAYMARK_RUNS'] ?? (isSample ? 3 : 8))

/** Somebody edits, or hears some of what another one knows: part of it, in any order, perhaps twice. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ who: fc.nat(2), edit }) },
  {
    weight: 1,
    arbitrary: fc.record({ who: fc.nat(2), from: fc.nat(2), part: fc.nat(), twice: fc.boolean() }),
  },
)

const LIMIT = { timeout: 60_000 + RUNS * 5_000 }

test(
  'clones that have heard everything know the same, in whatever order, and can show every version [convergence-clones-heard]',
  LIMIT,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        await using ada = await createReplica('ada')
        await using bob = await createReplica('bob')
        await using cleo = await createReplica('cleo')
        const replicas = [ada, bob, cleo]
        const expected = expectNothing()
        for (const taken of steps) {
          const replica = replicas[taken.who] ?? ada
          if ('edit' in taken) await applyEdit(replica, taken.edit, expected)
          else await hear(replica, replicas[taken.from] ?? bob, taken)
        }
        await settle(replicas)

        const [first, ...others] = await Promise.all(replicas.map((each) => each.snapshot()))
        for (const other of others) expect(other).toEqual(first)
        for (const replica of replicas) {
          await expectKept(replica, expected)
          await expectLogged(replica, expected)
          const numbers = (await replica.store.entities.after(0, 1000)).map(({ number }) => number)
          expect(new Set(numbers).size).toBe(numbers.length)
          expect(await replica.store.consistency.countWrongKinds()).toBe(0)
        }
      }),
      { seed: SEED, numRuns: RUNS },
    )
  },
)

async function hear(
  replica: TestReplica,
  other: TestReplica,
  { part, twice }: { readonly part: number; readonly twice: boolean },
): Promise<void> {
  const lines = await other.lines()
  const some = lines.filter((_, at) => ((part >> (at % 16)) & 1) === 1).toReversed()
  await replica.takeIn(twice ? [...some, ...some] : some)
}

/** Rounds in which everybody tells everybody, until nothing new is said: numbers may have to be settled in between. */
async function settle(replicas: readonly TestReplica[]): Promise<void> {
  for (let round = 0; round < 4; round++) {
    for (const teller of replicas) {
      for (const listener of replicas) {
        if (teller !== listener) await listener.takeIn(await teller.lines())
      }
    }
  }
}
