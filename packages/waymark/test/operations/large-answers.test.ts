import { expect, it } from 'vitest'
import type { Context } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { createEntity, listEntities } from '../../src/entity/operations.ts'
import { listGraph } from '../../src/graph/export.ts'
import { listPrompts, renderPrompt } from '../../src/prompt/operations.ts'
import { setup } from '../setup.ts'
import { setupLarge } from './large-entities.ts'

const KIB = 1024
const COUNT = 80

it.each([
  [
    'entity.list',
    (context: Context, offset: number) => execute(context, listEntities, { limit: 100, offset }),
  ],
  [
    'graph.list',
    (context: Context, offset: number) => execute(context, listGraph, { limit: 1000, offset }),
  ],
])(
  '%s ends a page where it would get too large, and goes on there [large-answers-ends-page]',
  async (_, read) => {
    await using project = await setupLarge(COUNT)
    const numbers: number[] = []
    let pages = 0
    while (numbers.length < COUNT && pages < COUNT) {
      const { entities, limit, offset } = await read(project.context, numbers.length)
      expect(Buffer.byteLength(JSON.stringify(entities))).toBeLessThan(17 * KIB * KIB)
      if (offset + entities.length < COUNT) expect(limit).toBe(entities.length)
      numbers.push(...entities.map(({ number }) => number))
      pages += 1
    }
    expect(numbers).toEqual(Array.from({ length: COUNT }, (_, at) => at + 1))
    expect(pages).toBeGreaterThan(1)
  },
)

it('prompts are found however many pages their texts fill', async () => {
  const template = 'x '.repeat(25 * KIB)
  const prompt = { type: 'prompt', title: 'Ask', properties: { template } }
  await using project = await setupLarge(100, prompt)
  const { prompts } = await execute(project.context, listPrompts, {})
  expect(prompts.flatMap(({ number }) => number ?? [])).toEqual(
    Array.from({ length: 100 }, (_, at) => at + 1),
  )
  const { text } = await execute(project.context, renderPrompt, { name: 'ask-100' })
  expect(text).toBe(template)
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
