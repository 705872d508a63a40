import { expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createEntity, deleteEntity } from '../../src/entity/operations.ts'
import { projectSchema, projectStats } from '../../src/project/facts.ts'
import { createRelation } from '../../src/relation/operations.ts'
import { gatherContext } from '../../src/search/context.ts'
import { setup } from '../setup.ts'

const NONE = { decision: 0, task: 0, note: 0, prompt: 0, component: 0, link: 0 }

it('statistics count what is there and know when something last changed', async () => {
  await using project = await setup()
  const { context } = project
  const stats = () => execute(context, projectStats, {})
  expect(await stats()).toMatchObject({
    entity_counts: NONE,
    relation_count: 0,
    last_modified: null,
  })
  await execute(context, createEntity, { type: 'note', title: 'A' })
  project.tick(1_000)
  await execute(context, createEntity, { type: 'task', title: 'B' })
  expect(await stats()).toMatchObject({
    entity_counts: { ...NONE, note: 1, task: 1 },
    last_modified: '2026-11-15T12:00:01.000Z',
  })
  project.tick(1_000)
  await execute(context, createRelation, { source: '1', target: '2', type: 'references' })
  expect(await stats()).toMatchObject({
    relation_count: 1,
    last_modified: '2026-11-15T12:00:02.000Z',
  })
  project.tick(1_000)
  await execute(context, deleteEntity, { id: '1' })
  expect(await stats()).toMatchObject({
    entity_counts: { ...NONE, task: 1 },
    relation_count: 0,
    last_modified: '2026-11-15T12:00:03.000Z',
  })
})

it('the schema says what each type takes', async () => {
  await using project = await setup()
  const { entity_types: types } = await execute(project.context, projectSchema, {})
  expect(Object.keys(types)).toEqual(Object.keys(NONE))
  expect(types.link).toMatchObject({
    properties: {
      type: { const: 'link' },
      properties: { required: ['url'], properties: { url: { format: 'uri' } } },
    },
  })
  expect(types.decision).toMatchObject({
    properties: {
      properties: { properties: { status: { enum: expect.arrayContaining(['superseded']) } } },
    },
  })
})

it('the context of a topic is the entities that bear on it, whole', async () => {
  await using project = await setup()
  const { context } = project
  await execute(context, createEntity, {
    type: 'decision',
    title: 'Use SQLite for storage',
    content: 'x'.repeat(20_000),
  })
  await execute(context, createEntity, { type: 'note', title: 'Colour palette' })
  const gathered = await execute(context, gatherContext, { topic: 'storage' })
  expect(gathered).toMatchObject({
    topic: 'storage',
    mode: 'fulltext',
    total: 1,
    entities: [{ number: 1, title: 'Use SQLite for storage', score: expect.any(Number) }],
  })
  expect(gathered.entities[0]?.content).toHaveLength(20_000)
})
