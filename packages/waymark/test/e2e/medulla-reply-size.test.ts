import { describe, expect, it } from 'vitest'
import { type Fields, type MedullaSession, startMedulla } from './medulla-client.ts'

const OF_EACH_TYPE = 60
const WAITING = 49

const made = (type: string, at: number, length: number): Fields => ({
  op: 'create',
  type,
  title: `${type} ${at}`,
  content: 'postgres '.padEnd(length, 'x'),
  properties: type === 'task' ? { due_date: '2026-12-01' } : {},
})

/** 60 tasks and 60 decisions; the task with the number 60 blocks 49 others. */
async function fill(session: MedullaSession): Promise<void> {
  const blocks = Array.from({ length: WAITING }, (_, at) => `blocks:${at + 1}`)
  const tasks = Array.from({ length: OF_EACH_TYPE }, (_, at) => made('task', at + 1, 300))
  const decisions = tasks.map((_, at) => made('decision', at + 1, 180))
  const last = { ...tasks.at(-1), relations: blocks }
  await session.call('entity_batch', { operations: [...tasks.slice(0, -1), last] })
  await session.call('entity_batch', { operations: decisions })
}

const lengthOf = (list: unknown): number => (list as readonly unknown[]).length

describe('a reply is whole', () => {
  it('of every tool that lists, and of a change [medulla-reply-size-every-tool]', async () => {
    await using session = await startMedulla()
    await fill(session)
    for (const args of [{}, { type: 'task' }, { type: 'decision' }]) {
      const page = await session.call('entity_list', args)
      expect(page).toMatchObject({ limit: 50, offset: 0 })
      expect(page).not.toHaveProperty('next_offset')
      const contents = (page['entities'] as { content: string }[]).map(({ content }) => content)
      expect(contents).toHaveLength(50)
      expect(contents.filter((content) => !/^postgres x{171}/.test(content))).toEqual([])
    }
    const lists: readonly [string, Fields, string, number][] = [
      ['entity_list', { limit: 100 }, 'entities', 100],
      ['graph_relations', { id: '60' }, 'outgoing', WAITING],
      ['task_blocked', {}, 'blocked_tasks', WAITING],
      ['task_ready', {}, 'tasks', 11],
      ['graph_orphans', {}, 'orphans', 70],
      ['graph_orphans', { limit: 7 }, 'orphans', 7],
      ['search_fulltext', { query: 'postgres', limit: 100 }, 'results', 100],
      ['search_query', { type: 'task', limit: 60 }, 'results', 60],
    ]
    for (const [tool, args, member, length] of lists) {
      const reply = await session.call(tool, args)
      expect(lengthOf(reply[member]), `${tool} ${JSON.stringify(args)}`).toBe(length)
    }
    const context = 'why "so"\n'.repeat(5_600)
    const long = { type: 'decision', title: 'Long', properties: { context } }
    expect(await session.call('entity_create', long)).toMatchObject({ properties: { context } })
    expect(await session.call('entity_update', { id: '121', title: 'Longer' })).toMatchObject({
      title: 'Longer',
      properties: { context },
    })
    const superseded = { old_id: '121', new_id: '61' }
    expect(await session.call('decision_supersede', superseded)).toMatchObject({
      old_decision: { properties: { context } },
    })
  })

  it('of every resource: pages of 50, and the graph in one piece [medulla-reply-size-every-resource]', async () => {
    await using session = await startMedulla()
    await fill(session)
    const totals = {
      entities: 120,
      'entities/decision': 60,
      decisions: 60,
      'decisions/active': 60,
      tasks: 60,
      'tasks/active': 60,
      'tasks/due/2026-12-01': 60,
    }
    for (const [path, total] of Object.entries(totals)) {
      const page = await session.read(`medulla://${path}`)
      expect(page, path).toMatchObject({ total, limit: 50, offset: 0 })
      expect(lengthOf(page['entities']), path).toBe(50)
    }
    expect(lengthOf((await session.read('medulla://tasks/blocked'))['entities'])).toBe(WAITING)
    const graph = await session.read('medulla://graph')
    expect(lengthOf(graph['entities'])).toBe(2 * OF_EACH_TYPE)
    expect(lengthOf(graph['relations'])).toBe(WAITING)
    expect(graph).not.toHaveProperty('truncated')
    const { entities } = await session.read('medulla://graph?limit=2&offset=59')
    expect(entities).toMatchObject([{ sequence_number: 60 }, { sequence_number: 61 }])
  })
})
