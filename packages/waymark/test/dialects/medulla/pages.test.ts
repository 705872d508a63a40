import { describe, expect, it } from 'vitest'
import { connectMedulla, type Fields, type MedullaClient } from './client.ts'

const TEXT = 'a text that says much '.repeat(100)

async function fill(medulla: MedullaClient, count: number): Promise<void> {
  const operations = Array.from({ length: count }, (_, at) => ({
    op: 'create',
    type: 'task',
    title: `Task ${at + 1}`,
    content: TEXT,
    properties: { due_date: '2026-12-01' },
    ...(at > 0 && { relations: ['belongs_to:1'] }),
  }))
  await medulla.call('entity_batch', { operations })
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

const NUMBERS = Array.from({ length: 60 }, (_, at) => at + 1)

describe('pages that nobody gave a size', () => {
  it('end where the answer is full: offset + limit leads to every entity once [pages-end-answer]', async () => {
    await using medulla = await connectMedulla()
    await fill(medulla, NUMBERS.length)
    expect(await walk((offset) => medulla.call('entity_list', { offset }))).toEqual(NUMBERS)
    const addresses = ['entities', 'entities/task', 'tasks', 'tasks/ready', 'tasks/due/2026-12-01']
    for (const path of [...addresses, 'graph']) {
      const read = (offset: number) => medulla.read(`medulla://${path}?offset=${offset}`)
      expect(await walk(read), path).toEqual(NUMBERS)
    }
  })

  it('say how many there are, where to go on, and what was cut', async () => {
    await using medulla = await connectMedulla()
    await fill(medulla, NUMBERS.length)
    const page = await medulla.call('entity_list')
    const entities = page['entities'] as Fields[]
    expect(entities.length).toBeGreaterThanOrEqual(5)
    expect(page).toMatchObject({
      total: NUMBERS.length,
      limit: entities.length,
      offset: 0,
      next_offset: entities.length,
    })
    const [first] = entities
    expect(first).toMatchObject({ title: 'Task 1', truncated: true })
    expect(first?.['content']).toMatch(/^a text that says much .*… \[\d+ more characters\]$/)
    expect(await medulla.call('entity_get', { id: '1' })).toMatchObject({ content: TEXT })
  })

  it('are whole and have the default limit where there is room', async () => {
    await using medulla = await connectMedulla()
    await fill(medulla, 1)
    const page = await medulla.call('entity_list')
    expect(page).toMatchObject({ total: 1, limit: 50, offset: 0 })
    expect(page).not.toHaveProperty('next_offset')
    expect((page['entities'] as Fields[])[0]).not.toHaveProperty('truncated')
  })

  it('whoever says how many gets that many, whole [pages-whoever-says]', async () => {
    await using medulla = await connectMedulla()
    await fill(medulla, NUMBERS.length)
    const whole = { content: TEXT }
    for (const page of [
      await medulla.call('entity_list', { limit: 40 }),
      await medulla.read('medulla://tasks?limit=40'),
      await medulla.read('medulla://graph?limit=40'),
    ]) {
      expect(page['entities']).toHaveLength(40)
      expect(page['entities']).toMatchObject(Array.from({ length: 40 }, () => whole))
    }
  })

  it('of relations name how many there are, and the others are there for the asking', async () => {
    await using medulla = await connectMedulla()
    await fill(medulla, NUMBERS.length)
    const { incoming, total } = await medulla.call('graph_relations', { id: '1' })
    expect(total).toEqual({ outgoing: 0, incoming: 59 })
    const shown = (incoming as Fields[]).length
    expect(shown).toBeLessThan(59)
    const rest = { id: '1', limit: 100, offset: shown }
    expect((await medulla.call('graph_relations', rest))['incoming']).toHaveLength(59 - shown)
    expect(await medulla.call('graph_relations', { id: '2' })).not.toHaveProperty('total')
  })
})
