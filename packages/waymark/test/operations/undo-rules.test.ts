import { describe, expect, test } from 'vitest'
import { createEntity, getEntity, updateEntity } from '../../src/entity/operations.ts'
import { restoreEntity } from '../../src/sync/history/operations.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { undoChanges } from '../../src/sync/history/undo.ts'
import { createReplica, exchange, START, type TestReplica, useStore } from '../replica/replicas.ts'

const ofRobot = { author: 'robot', since: new Date(START).toISOString() }
const succeed = (id: string) => ({ status: 'superseded', superseded_by: id })

/** It can still be edited, and every clone says the same of it. */
async function expectSound(ada: TestReplica, id: string): Promise<void> {
  await ada.run(updateEntity, { id, title: 'edited' })
  await using bob = await createReplica('bob')
  await exchange(ada, bob)
  expect(await bob.snapshot()).toEqual(await ada.snapshot())
  expect(await ada.run(checkStore, {})).toMatchObject({ ok: true })
}

describe('undo makes nothing that no rule allows', () => {
  async function setScene() {
    const ada = await createReplica('ada')
    const robot = useStore(ada.store, 'robot')
    const create = async (title: string): Promise<string> =>
      (await ada.run(createEntity, { type: 'decision', title, properties: { status: 'accepted' } }))
        .id
    const [id, first, second] = [await create('old'), await create('new'), await create('newer')]
    const undo = async () => {
      const plan = await ada.run(undoChanges, { ...ofRobot, dry_run: true })
      const { entities } = await ada.run(undoChanges, ofRobot)
      expect(entities).toEqual(plan.entities)
      const { properties } = await ada.run(getEntity, { id })
      return { entities, properties }
    }
    return { ada, robot, id, first, second, undo }
  }

  test('where others have given a decision another successor, it stays superseded', async () => {
    const { ada, robot, id, first, second, undo } = await setScene()
    await using _ = ada
    await robot.run(updateEntity, { id, content: 'worse', properties: succeed(first) })
    await ada.run(updateEntity, { id, properties: { superseded_by: second } })
    const { entities, properties } = await undo()
    expect(entities).toMatchObject([{ outcome: 'reverted', fields: ['content'] }])
    expect(entities[0]?.kept.toSorted()).toEqual(['properties.status', 'properties.superseded_by'])
    expect(properties).toMatchObject(succeed(second))
    await expectSound(ada, id)
  })

  test('the successor that others gave it comes back, and with it the status', async () => {
    const { ada, robot, id, first, second, undo } = await setScene()
    await using _ = ada
    await robot.run(updateEntity, { id, properties: succeed(first) })
    await ada.run(updateEntity, { id, properties: { superseded_by: second } })
    await robot.run(updateEntity, { id, properties: { superseded_by: first } })
    const { entities, properties } = await undo()
    expect(entities).toMatchObject([{ outcome: 'reverted', fields: ['properties.superseded_by'] }])
    expect(properties).toMatchObject(succeed(second))
    await expectSound(ada, id)
  })

  test('a successor stays away where others have given the decision another status', async () => {
    const { ada, robot, id, first, undo } = await setScene()
    await using _ = ada
    await ada.run(updateEntity, { id, properties: succeed(first) })
    const accepted = { status: 'accepted', superseded_by: null }
    await robot.run(updateEntity, { id, properties: accepted })
    await ada.run(updateEntity, { id, properties: { status: 'deprecated' } })
    const { entities, properties } = await undo()
    expect(entities).toMatchObject([{ outcome: 'kept', fields: [] }])
    expect(entities[0]?.kept.toSorted()).toEqual(['properties.status', 'properties.superseded_by'])
    expect(properties).toMatchObject({ status: 'deprecated' })
    expect(properties).not.toHaveProperty('superseded_by')
    await expectSound(ada, id)
  })
})

describe('where a merge has made a list longer than it may be', () => {
  /** A task with 60 criteria in its document, of which 50 count. */
  async function setScene() {
    const ada = await createReplica('ada')
    const { id } = await ada.run(createEntity, { type: 'task', title: 'a task' })
    await using bob = await createReplica('bob')
    await exchange(ada, bob)
    for (const replica of [ada, bob]) {
      const { name } = replica.context.agent
      const criteria = Array.from({ length: 30 }, (_, at) => `${name} ${at}`)
      await replica.run(updateEntity, { id, properties: { acceptance_criteria: criteria } })
    }
    await exchange(ada, bob)
    const criteria = async (): Promise<unknown> =>
      (await ada.run(getEntity, { id })).properties['acceptance_criteria']
    expect(await criteria()).toHaveLength(50)
    return { ada, id, criteria }
  }

  test('taking back something else leaves it as it is', async () => {
    const { ada, id, criteria } = await setScene()
    await using _ = ada
    const before = await criteria()
    await useStore(ada.store, 'robot').run(updateEntity, { id, title: 'worse' })
    const { entities } = await ada.run(undoChanges, ofRobot)
    expect(entities).toMatchObject([{ outcome: 'reverted', fields: ['title'], kept: [] }])
    expect(await criteria()).toEqual(before)
    await expectSound(ada, id)
  })

  test('restoring it brings back as much as is allowed, and says so', async () => {
    const { ada, id, criteria } = await setScene()
    await using _ = ada
    const before = await criteria()
    await ada.run(updateEntity, { id, title: 'renamed' })
    await ada.run(updateEntity, { id, properties: { acceptance_criteria: ['one'] } })
    const { properties, warnings } = await ada.run(restoreEntity, { id, version: 4 })
    expect(properties['acceptance_criteria']).toEqual(before)
    expect(warnings).toMatchObject([
      {
        code: 'field_left_out',
        message: expect.stringContaining('properties.acceptance_criteria'),
      },
    ])
    await expectSound(ada, id)
  })
})
