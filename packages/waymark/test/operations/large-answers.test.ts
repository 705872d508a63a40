import { expect, it } from 'vitest'
import type { Context } from '../../src/context.ts'
import { execute } from '../../src/execute.ts'
import { createEntity, listEntities } from '../../src/operations/entities.ts'
import { listGraph } from '../../src/operations/graph-export.ts'
import { Connection } from '../../src/store/sqlite/connection.ts'
import { databasePath } from '../../src/store/state-folder.ts'
import { setup } from '../setup.ts'

const KIB = 1024
const COUNT = 40

/** Some forty of these are more than a page. */
const LARGE = {
  type: 'decision',
  title: 'Large',
  content: 'x '.repeat(50 * KIB),
  properties: {
    context: 'y '.repeat(25 * KIB),
    consequences: Array.from({ length: 100 }, () => 'z '.repeat(KIB / 2)),
  },
}

async function setupLarge() {
  const project = await setup()
  const { context } = project
  await execute(context, createEntity, LARGE)
  const connection = new Connection(databasePath(context.project?.state ?? ''), 'write')
  try {
    for (let number = 2; number <= COUNT; number += 1) {
      connection.run(
        `INSERT INTO entity (id, number, type, title, content, tags, status, properties,
            created_at, updated_at, revision)
          SELECT ?, ?, type, title, content, tags, status, properties, created_at, updated_at, 1
            FROM entity WHERE number = 1`,
        [crypto.randomUUID(), number],
      )
    }
  } finally {
    connection.close()
  }
  return project
}

it.each([
  [
    'entity.list',
    (context: Context, offset: number) => execute(context, listEntities, { limit: 100, offset }),
  ],
  [
    'graph.list',
    (context: Context, offset: number) => execute(context, listGraph, { limit: 1000, offset }),
  ],
])('%s ends a page where it would get too large, and goes on there', async (_, read) => {
  await using project = await setupLarge()
  const numbers: number[] = []
  let pages = 0
  while (numbers.length < COUNT && pages < COUNT) {
    const { entities, limit, offset } = await read(project.context, numbers.length)
    expect(Buffer.byteLength(JSON.stringify(entities))).toBeLessThan(5 * KIB * KIB)
    if (offset + entities.length < COUNT) expect(limit).toBe(entities.length)
    numbers.push(...entities.map(({ number }) => number))
    pages += 1
  }
  expect(numbers).toEqual(Array.from({ length: COUNT }, (_, at) => at + 1))
  expect(pages).toBeGreaterThan(1)
})

it.each([
  ['consequences', { type: 'decision', properties: { consequences: Array(1_001).fill('x') } }],
  ['variables', { type: 'prompt', properties: { variables: Array(1_001).fill('x') } }],
])('more %s than anybody needs are refused', async (field, input) => {
  await using project = await setup()
  await expect(
    execute(project.context, createEntity, { title: 'Large', ...input }),
  ).rejects.toMatchObject({
    code: 'invalid_input',
    details: { field: `properties.${field}`, rule: 'too_many', max: 1_000 },
  })
})
