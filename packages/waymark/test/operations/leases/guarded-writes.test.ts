import { describe, expect, it } from 'vitest'
import { agentIdOf } from '../../../src/agent/agent.ts'
import { type Change, change } from '../../../src/core/change.ts'
import type { Context } from '../../../src/core/context.ts'
import { execute } from '../../../src/core/execute.ts'
import type { EntityRow } from '../../../src/entity/store.ts'
import { createTask } from '../../../src/task/operations.ts'
import { claimTask } from '../../../src/task/lease/operations.ts'
import { type Setup, setup } from '../../setup.ts'

interface Held extends Setup {
  readonly ada: Context
  readonly bob: Context
}

/** Task 1 is ada's, waits for task 2 and is a part of it. */
async function heldTask(): Promise<Held> {
  const project = await setup()
  const ada = project.as('ada')
  await execute(ada, createTask, { title: 'held' })
  await execute(ada, createTask, { title: 'free' })
  await execute(ada, claimTask, { id: '1' })
  return { ...project, ada, bob: project.as('bob') }
}

type Write = (change: Change, held: EntityRow, free: EntityRow) => Promise<unknown>

const toRelation = (source: EntityRow, type: string, target: EntityRow) => ({
  sourceId: source.id,
  type,
  targetId: target.id,
})

/** Everything by which a change can reach a row, a relation or the lease of a task. */
const WRITES: Readonly<Record<string, Write>> = {
  'the row': ({ entities, stamp }, { id }) => entities.update(id, { title: 'late' }, stamp),
  'the row, by deleting it': ({ entities, stamp }, { id }) => entities.remove(id, stamp),
  'the row, by purging it': ({ entities }, { id }) => entities.purge(id),
  'a relation of its own': ({ relations, stamp: { at } }, held, free) =>
    relations.insert({
      ...toRelation(held, 'references', free),
      properties: {},
      createdAt: at,
      createdBy: null,
    }),
  'what it waits for': ({ relations, stamp }, held, free) =>
    relations.remove(toRelation(free, 'blocks', held), stamp),
  'all of its relations': ({ relations, stamp }, { id }) => relations.removeAllOf(id, stamp),
  'the lease': ({ leases, stamp: { at } }, { id }) =>
    leases.clear(id, { keepsFence: false, to: 'open', now: at }),
  'the row, as another version has it': ({ replica }, held) => replica.rows.update(held),
  'the row, as another version has deleted it': ({ replica, stamp }, { id }) =>
    replica.rows.remove(id, stamp),
  'the row, as another clone has purged it': ({ replica, stamp }, { id }) =>
    replica.rows.purge(id, stamp, false),
  'the relations, as another version has them': ({ replica, stamp }, held, free) =>
    replica.rows.relations.remove(toRelation(free, 'blocks', held), stamp),
}

describe('a change by an agent that does not hold a task', () => {
  it.each(Object.entries(WRITES))('is refused %s', async (_what, write) => {
    await using project = await heldTask()
    const run = (context: Context) =>
      change(context, async (tx) => {
        const [held, free] = [await find(tx, 1), await find(tx, 2)]
        await write(tx, held, free)
      })
    await expect(run(project.bob)).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'held', claimed_by: agentIdOf('ada') },
    })
    await expect(run(project.ada)).resolves.toBeUndefined()
  })

  it('is refused also after it has acted as the agent that does', async () => {
    await using project = await heldTask()
    await change(project.ada, async (tx) => {
      const { id } = await find(tx, 1)
      expect(await tx.admission.refusal(id)).toBeUndefined()
      tx.admission.actAs(agentIdOf('bob'))
      expect(await tx.admission.refusal(id)).toMatchObject({ details: { reason: 'held' } })
    })
  })
})

async function find({ replica }: Change, number: number): Promise<EntityRow> {
  const found = await replica.rows.holderOf(number)
  if (found === undefined) throw new Error(`no entity ${number}`)
  return found.row
}
