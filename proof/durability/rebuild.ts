import { createRandom, type Random } from '../../packages/baton/test/support/random.ts'
import { Failure } from '../../packages/waymark/src/core/error.ts'
import {
  createEntity,
  deleteEntity,
  updateEntity,
} from '../../packages/waymark/src/entity/operations.ts'
import { createRelation } from '../../packages/waymark/src/relation/operations.ts'
import { checkStore } from '../../packages/waymark/src/integrity/operations.ts'
import { createReplica, type TestReplica } from '../../packages/waymark/test/replica/replicas.ts'
import type { Findings, Proof, Trial } from '../proof.ts'

const CHANGES = { short: 300, full: 20_000 }
const CHANGES_WITH_FAULT = 40
/** So many are under way at once, and share their flushes. */
const AT_ONCE = 10

/** A store is used, and everything in its log is played into an empty one: both must hold the same rows. */
export const rebuild: Proof = {
  id: 'rebuild',
  promise: 'A store that is made again from the log has the same rows',
  unit: 'changes',
  goal: 100_000,
  faults: ['line_left_out', 'title_cut_off'],
  run: tryRebuild,
}

async function tryRebuild({ seed, level, fault }: Trial): Promise<Findings> {
  await using used = await createReplica('used')
  await using empty = await createReplica('empty')
  const changes = fault === undefined ? CHANGES[level] : CHANGES_WITH_FAULT
  const made = await use(used, changes, createRandom(seed))
  const lines = await used.lines()
  const began = performance.now()
  await empty.takeIn(fault === 'line_left_out' ? lines.slice(1) : lines)
  const seconds = (performance.now() - began) / 1000
  const wanted = await used.snapshot()
  const found = await empty.snapshot()
  if (fault === 'title_cut_off') found[0] = found[0]?.replace(/"title":"./, '"title":"') ?? ''
  const different = differences(wanted, found)
  const { ok } = await empty.run(checkStore, {})
  return {
    tried: made,
    violations: { different: different.length, unsound: ok ? 0 : 1 },
    counts: { rows: wanted.length },
    figures: { seconds_for_100_000_rows: (100_000 * seconds) / Math.max(1, wanted.length) },
    example: different[0],
  }
}

/** Creates, changes, connects and deletes, and says how many of these changes were made. */
async function use(replica: TestReplica, changes: number, random: Random): Promise<number> {
  const ids: string[] = []
  let made = 0
  while (made < changes) {
    const before = [...ids]
    const attempts = Array.from({ length: AT_ONCE }, (_, at) => {
      replica.tick(random.below(3))
      return change(replica, before, `${made + at}`, random)
    })
    for (const id of await Promise.all(attempts)) {
      made += id === undefined ? 0 : 1
      if (id !== undefined && id !== '') ids.push(id)
    }
  }
  return made
}

/** The id of what was created, '' for another change, undefined where it was refused. */
async function change(
  replica: TestReplica,
  ids: readonly string[],
  name: string,
  random: Random,
): Promise<string | undefined> {
  const kind = ids.length < 10 ? 0 : random.below(10)
  const id = ids.length === 0 ? '' : random.pick(ids)
  const target = ids.length === 0 ? '' : random.pick(ids)
  try {
    if (kind < 5) {
      const type = random.pick(['note', 'task', 'decision', 'component'] as const)
      const text = { title: `${type} ${name}`, content: `Text of ${name}.\nAnd more.` }
      return (await replica.run(createEntity, { type, ...text, tags: [`tag ${random.below(9)}`] }))
        .id
    }
    if (kind < 7) await replica.run(updateEntity, { id, content: `Text of ${name}.\nOther.` })
    else if (kind < 9) await replica.run(createRelation, { source: id, target, type: 'references' })
    else await replica.run(deleteEntity, { id })
    return ''
  } catch (error) {
    // What was deleted a moment ago, or an edge to itself, is refused here as anywhere.
    if (error instanceof Failure && error.code !== 'internal') return undefined
    throw error
  }
}

/** Rows that one has and the other has not, or that differ. */
function differences(wanted: readonly string[], found: readonly string[]): string[] {
  const there = new Set(found)
  const known = new Set(wanted)
  return [
    ...wanted.filter((row) => !there.has(row)).map((row) => `missing: ${row}`),
    ...found.filter((row) => !known.has(row)).map((row) => `not there before: ${row}`),
  ]
}
