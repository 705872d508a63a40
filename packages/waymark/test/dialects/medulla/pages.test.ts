import { describe, expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { listEntities } from '../../../src/entity/operations.ts'
import { connectMedulla, type Fields, type MedullaClient } from './client.ts'

const TEXT = 'a text that says much '.repeat(100)
const NUMBERS = Array.from({ length: 120 }, (_, at) => at + 1)

async function fill(medulla: MedullaClient): Promise<void> {
  const operations = NUMBERS.map((number) => ({
    op: 'create',
    type: 'task',
    title: `Task ${number}`,
    content: TEXT,
    properties: { due_date: '2026-12-01' },
    ...(number > 1 && { relations: ['belongs_to:1'] }),
  }))
  await medulla.call('entity_batch', { operations: operations.slice(0, 60) })
  await medulla.call('entity_batch', { operations: operations.slice(60) })
}

/** Reads page after page as the seed's shape says to, and the numbers of what was on them. */
async function walk(read: (offset: number) => Promise<Fields>): Promise<readonly unknown[]> {
  const numbers: unknown[] = []
  let next = 0
  for (let pages = 0; pages < 100; pages += 1) {
    const page = (await read(next)) as { entities: Fields[]; limit: number; offset: number }
    expect(page.offset).toBe(next)
    if (page.entities.length === 0) break
    numbers.push(...page.entities.map(({ sequence_number }) => sequence_number))
    next = page.offset + page.limit
  }
  return numbers
}

describe('pages', () => {
  it('of 50 by default and 100 at most: offset + limit leads to every entity once [pages-end-answer]', async () => {
    await using medulla = await connectMedulla()
    await fill(medulla)
    expect(await walk((offset) => medulla.call('entity_list', { offset }))).toEqual(NUMBERS)
    const addresses = ['entities', 'entities/task', 'tasks', 'tasks/ready', 'tasks/due/2026-12-01']
    for (const path of [...addresses, 'graph']) {
      const read = (offset: number) => medulla.read(`medulla://${path}?offset=${offset}`)
      expect(await walk(read), path).toEqual(NUMBERS)
    }
    for (const path of addresses) {
      const page = await medulla.read(`medulla://${path}`)
      expect(page, path).toMatchObject({ total: 120, limit: 50, offset: 0 })
      expect(page['entities'], path).toHaveLength(50)
      const most = await medulla.read(`medulla://${path}?limit=5000`)
      expect(most['entities'], path).toHaveLength(100)
    }
  })

  it('have entities whole, with a limit and without [pages-whoever-says]', async () => {
    await using medulla = await connectMedulla()
    await fill(medulla)
    for (const [page, length] of [
      [await medulla.call('entity_list'), 50],
      [await medulla.call('entity_list', { limit: 40 }), 40],
      [await medulla.read('medulla://tasks?limit=40'), 40],
      [await medulla.read('medulla://graph?limit=40'), 40],
      [await medulla.read('medulla://graph'), 120],
      [await medulla.read('medulla://context/much?limit=20'), 20],
    ] as const) {
      const entities = page['entities'] as Fields[]
      expect(entities).toHaveLength(length)
      expect(entities.filter(({ content }) => content !== TEXT)).toEqual([])
    }
  })

  it('end where 16 MiB of text are read, so that no call needs more memory', async () => {
    await using medulla = await connectMedulla()
    const properties = { consequences: Array.from({ length: 400 }, () => 'x'.repeat(1024)) }
    const large = { op: 'create', type: 'decision', title: 'Large', properties }
    for (let batch = 0; batch < 5; batch += 1) {
      await medulla.call('entity_batch', { operations: Array.from({ length: 10 }, () => large) })
    }
    const { entities, limit } = await execute(medulla.project.context, listEntities, {})
    expect(entities.length).toBeLessThan(50)
    expect(limit).toBe(entities.length)
    const graph = await medulla.read('medulla://graph')
    expect(graph).toMatchObject({ entity_count: 50, limit: entities.length })
    const rest = await medulla.read(`medulla://graph?offset=${limit}`)
    expect(rest['entities']).toHaveLength(50 - limit)
  })

  it('of relations are for the asking, and then name how many there are', async () => {
    await using medulla = await connectMedulla()
    await fill(medulla)
    const all = await medulla.call('graph_relations', { id: '1' })
    expect(all['incoming']).toHaveLength(119)
    expect(all).not.toHaveProperty('total')
    const part = await medulla.call('graph_relations', { id: '1', limit: 100, offset: 100 })
    expect(part['incoming']).toHaveLength(19)
    expect(part).toMatchObject({ total: { outgoing: 0, incoming: 119 } })
  })
})
