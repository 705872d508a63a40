import { expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { supersedeDecision } from '../../src/decision/operations.ts'
import { createEntity, deleteEntity, getEntity, updateEntity } from '../../src/entity/operations.ts'
import { listRelations } from '../../src/relation/operations.ts'
import { setup } from '../setup.ts'

async function projectWithDecisions(count: number) {
  const project = await setup()
  for (let at = 1; at <= count; at += 1) {
    await execute(project.context, createEntity, {
      type: 'decision',
      title: `D${at}`,
      properties: { status: 'accepted' },
    })
  }
  return project
}

it('status, successor and relation change together [decisions-status-successor]', async () => {
  await using project = await projectWithDecisions(2)
  const { context } = project
  const done = await execute(context, supersedeDecision, { old: '1', new: '2' })
  expect(done).toMatchObject({
    old: { number: 1, properties: { status: 'superseded', superseded_by: done.new.id } },
    new: { number: 2 },
    changed: true,
  })
  expect(await execute(context, getEntity, { id: '2' })).toMatchObject({
    properties: { status: 'accepted' },
  })
  expect(await execute(context, listRelations, { id: '1' })).toMatchObject({
    incoming: [{ type: 'supersedes', source: { number: 2 } }],
    outgoing: [],
  })
})

it('doing it twice changes nothing', async () => {
  await using project = await projectWithDecisions(2)
  const { context } = project
  await execute(context, supersedeDecision, { old: '1', new: '2' })
  const events = await context.store.events.latest()
  expect(await execute(context, supersedeDecision, { old: '1', new: '2' })).toMatchObject({
    changed: false,
  })
  expect(await context.store.events.latest()).toBe(events)
})

it('a decision has one successor, until that one is deleted', async () => {
  await using project = await projectWithDecisions(3)
  const { context } = project
  await execute(context, supersedeDecision, { old: '1', new: '2' })
  await expect(execute(context, supersedeDecision, { old: '1', new: '3' })).rejects.toMatchObject({
    code: 'conflict',
    details: { reason: 'superseded' },
  })
  await execute(context, deleteEntity, { id: '2' })
  expect(await execute(context, supersedeDecision, { old: '1', new: '3' })).toMatchObject({
    changed: true,
  })
})

it('a decision whose successor was deleted can be edited, and names the same one', async () => {
  await using project = await projectWithDecisions(3)
  const { context } = project
  const { new: gone, old } = await execute(context, supersedeDecision, { old: '1', new: '2' })
  await execute(context, deleteEntity, { id: '2' })
  const { properties } = old
  for (const edit of [{ title: 'edited' }, { properties }]) {
    expect(await execute(context, updateEntity, { id: '1', ...edit })).toMatchObject({
      title: 'edited',
      properties: { status: 'superseded', superseded_by: gone.id },
    })
  }
  const named = { id: '1', properties: { superseded_by: '2' } }
  await expect(execute(context, updateEntity, named)).rejects.toMatchObject({
    code: 'not_found',
    details: { field: 'properties.superseded_by' },
  })
  const other = await execute(context, getEntity, { id: '3' })
  expect(
    await execute(context, updateEntity, { id: '1', properties: { superseded_by: '3' } }),
  ).toMatchObject({ properties: { superseded_by: other.id } })
})

it('no circle of successors', async () => {
  await using project = await projectWithDecisions(3)
  const { context } = project
  await execute(context, supersedeDecision, { old: '1', new: '2' })
  await execute(context, supersedeDecision, { old: '2', new: '3' })
  await expect(execute(context, supersedeDecision, { old: '3', new: '1' })).rejects.toMatchObject({
    code: 'conflict',
    details: { reason: 'cycle' },
  })
  expect(await execute(context, getEntity, { id: '3' })).toMatchObject({
    properties: { status: 'accepted' },
  })
})

it.each([
  [{ old: '9', new: '1' }, 'not_found', 'old'],
  [{ old: '1', new: '9' }, 'not_found', 'new'],
  [{ old: '1', new: '1' }, 'invalid_input', 'new'],
  [{ old: '1', new: '3' }, 'invalid_input', 'new'],
  [{ old: '3', new: '1' }, 'invalid_input', 'old'],
  [{ old: '1' }, 'invalid_input', 'new'],
])('%o is refused and writes nothing', async (input, code, field) => {
  await using project = await projectWithDecisions(2)
  await execute(project.context, createEntity, { type: 'note', title: 'N' })
  const events = await project.context.store.events.latest()
  await expect(execute(project.context, supersedeDecision, input)).rejects.toMatchObject({
    code,
    details: { field },
  })
  expect(await project.context.store.events.latest()).toBe(events)
})
