import { expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { Failure } from '../../src/core/error.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { createRelation } from '../../src/relation/operations.ts'
import { allOperations, findOperation } from '../../src/registry.ts'
import { setup } from '../setup.ts'

const operations = await allOperations()

/** An input for each write that says it is idempotent: decisions 1 and 2 exist, 1 refers to 2. */
const INPUTS: Readonly<Record<string, object>> = {
  'relation.create': { source: '2', target: '1', type: 'references' },
  'relation.delete': { source: '1', target: '2', type: 'references' },
  'entity.delete': { id: '1' },
  'decision.supersede': { old: '1', new: '2' },
}

it('every write that is said to be idempotent is tried', () => {
  const idempotent = operations.filter((operation) => operation.idempotent === true)
  expect(idempotent.map(({ name }) => name).toSorted()).toEqual(Object.keys(INPUTS).toSorted())
  expect(idempotent.filter(({ effect }) => effect === 'read')).toEqual([])
})

it.each(Object.entries(INPUTS))('%s twice changes what it changes once', async (name, input) => {
  await using project = await setup()
  for (const title of ['A', 'B'])
    await execute(project.context, createEntity, { type: 'decision', title })
  const relation = { source: '1', target: '2', type: 'references' }
  await execute(project.context, createRelation, relation)
  const operation = await findOperation(name)
  if (operation === undefined) throw new Error(`no operation ${name}`)
  const eventsSoFar = async () => await project.context.store.events.latest()
  const before = await eventsSoFar()
  await execute(project.context, operation, input)
  const once = await eventsSoFar()
  expect(once).toBeGreaterThan(before)
  project.tick(60_000)
  try {
    await execute(project.context, operation, input)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    expect(['not_found', 'conflict']).toContain(error.code)
  }
  expect(await eventsSoFar()).toBe(once)
})
