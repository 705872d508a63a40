import { Connection } from '@waymark/sqlite'
import { describe, expect, test } from 'vitest'
import { toAgentId } from '../../src/agent/agent.ts'
import { BEFORE_ALL, toEventId } from '../../src/event/event-id.ts'
import { fromStoredSubject, toStoredSubject } from '../../src/event/event-record.ts'
import { fromStoredChange, toStoredChange } from '../../src/sync/document/ops-store.ts'
import { toCreation } from '../../src/sync/document/ops-store.ts'
import { createWorkspace, insertEntity, NOW } from './workspace.ts'

const ID = '0d3f9a52-6c1e-4b7d-8f00-a1b2c3d4e5f6'

describe('events in their stored form', () => {
  test('are read as they were written, by subject, type and agent, those of older versions too', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const facts = { type: 'task', number: 7, title: 'Oil', revision: 2 }
    const written = [
      { type: 'task.updated', data: { ...facts, status: 'todo', fence: 3 } },
      { type: 'entity.updated', data: facts },
      { type: 'agent.joined', data: { name: 'ada' } },
    ].map((event) => ({ ...event, subject: ID, at: NOW, agent: 'ada', agentId: toAgentId('A1') }))
    await store.write(async (tx) => {
      for (const event of written) await tx.events.append(event)
    })
    const connection = new Connection(workspace.database, 'write')
    connection.run(
      'INSERT INTO event (id, type, subject, at, agent, data) VALUES (4, ?, ?, ?, ?, ?)',
      'entity.created',
      ID,
      NOW,
      'ada',
      '{"type":"task","number":7,"_agent_id":"A1"}',
    )
    const { stored } = connection.get<{ stored: number }>(
      'SELECT octet_length(type || subject || data) AS stored FROM event WHERE id = 1',
    ) ?? { stored: 0 }
    connection.close()
    expect(stored).toBeLessThan(80)

    const former = { type: 'entity.created', data: { type: 'task', number: 7 }, agentId: 'A1' }
    const found = await store.events.newest({ subjects: [ID], limit: 9 })
    expect(found.toReversed()).toMatchObject([...written, { ...former, subject: ID }])
    expect(Object.keys(found.at(-1)?.data ?? {})).toEqual([
      ...Object.keys(facts),
      'status',
      'fence',
    ])
    expect(await store.events.newest({ agents: ['A1'], limit: 9 })).toHaveLength(4)
    const claimed = await store.events.newest({ types: ['task.updated'], limit: 9 })
    expect(claimed.map(({ id }) => id)).toEqual([1])
    const others = await store.events.newest({ except: ['task.updated'], limit: 9 })
    expect(others.map(({ id }) => id)).toEqual([4, 3, 2])
    const counts = await store.events.counts({
      after: BEFORE_ALL,
      upTo: toEventId(3),
      bucketMs: 1000,
      by: 'type',
    })
    expect(new Set(counts.map(({ name }) => name))).toEqual(
      new Set(written.map(({ type }) => type)),
    )
  })

  test('have short subjects only where those are ids of entities', () => {
    expect(toStoredSubject(ID)).toHaveLength(23)
    expect(fromStoredSubject(toStoredSubject(ID))).toBe(ID)
    for (const other of ['17', 'A1FA7A380', ID.toUpperCase(), `${ID}x`, '~x', ''])
      expect(fromStoredSubject(toStoredSubject(other))).toBe(other)
  })
})

describe('changes in their stored form', () => {
  test('are read as the text that their documents are made from', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const row = await store.write((tx) => insertEntity(tx, { title: 'Oil "the" door' }))
    const stamp = { at: row.createdAt, by: row.createdBy }
    const creation = toCreation(row)
    const [op] = await store.replica.ops(row.id)
    expect(op?.change).toBe(JSON.stringify(creation))
    expect(toStoredChange(creation, stamp).length).toBeLessThan(op?.change.length ?? 0)
    const changes = [
      creation,
      { ...creation, fields: { ...creation.fields, origin: '{"via":"cli"}' } },
      { ...creation, fields: { ...creation.fields, created_at: 1 } },
      { ...creation, deleted: false },
      { properties: { status: 'done', tags: null } },
    ]
    for (const change of changes)
      expect(fromStoredChange(toStoredChange(change, stamp), stamp)).toBe(JSON.stringify(change))
    // Its reader says that it is damaged.
    expect(fromStoredChange('[1', stamp)).toBe('[1')
  })
})
