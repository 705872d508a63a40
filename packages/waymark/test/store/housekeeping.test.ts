import { Connection } from '@waymark/sqlite'
import { describe, expect, test, vi } from 'vitest'
import { BEFORE_ALL } from '../../src/event/event-id.ts'
import { createWorkspace, insertEntity, NOW, type Workspace } from './workspace.ts'

const MONTHS_AGO = NOW - 90 * 24 * 60 * 60 * 1000

function change({ database }: Workspace, ...statements: readonly string[]): void {
  const connection = new Connection(database, 'write')
  for (const statement of statements) connection.exec(statement)
  connection.close()
}

describe('housekeeping goes in slices', () => {
  test('old events are dropped with later ones, some at a time, however many there are', async () => {
    await using workspace = await createWorkspace()
    change(
      workspace,
      `WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 899)
        INSERT INTO event (id, type, subject, at, data)
          SELECT id, iif(id = 5, 'entity.deleted', 'eu'), 's', ${MONTHS_AGO}, '{}' FROM n`,
    )
    const store = await workspace.open()
    const left: number[] = []
    for (let cleanup = 0; cleanup < 5; cleanup += 1) {
      change(workspace, `UPDATE counter SET value = ${1999 + cleanup * 100} WHERE name = 'event'`)
      const event = { type: 'note.created', subject: 's', at: NOW, agent: null, data: {} }
      await store.write((tx) => tx.events.append(event))
      left.push((await store.events.after(BEFORE_ALL, { limit: 20_000 })).length)
    }
    // No cleanup looks at more than three hundred. The deletion stays.
    expect(left).toEqual([601, 302, 4, 5, 6])
    expect(await store.events.horizon()).toBe(5 * 300)
  })

  test('old spans of leases are dropped some at a time [spans-in-slices]', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const { id } = await store.write((tx) => insertEntity(tx, { title: 'Leased often' }))
    const yearsAgo = NOW - 1000 * 24 * 60 * 60 * 1000
    change(
      workspace,
      `WITH RECURSIVE n(fence) AS (SELECT 1 UNION ALL SELECT fence + 1 FROM n WHERE fence < 700)
        INSERT INTO lease_span (task_id, fence, agent_id, began_at, ended_at, ending)
          SELECT '${id}', fence, 'a', ${yearsAgo}, ${yearsAgo} + fence, 'done' FROM n`,
    )
    const left: number[] = []
    for (let cleanup = 1; cleanup <= 3; cleanup += 1) {
      change(workspace, `UPDATE counter SET value = ${cleanup * 100 - 1} WHERE name = 'event'`)
      const event = { type: 'note.created', subject: 's', at: NOW, agent: null, data: {} }
      await store.write((tx) => tx.events.append(event))
      left.push((await store.spans.ended({ from: 0, limit: 1000 })).length)
    }
    expect(left).toEqual([400, 100, 0])
  })

  test('words and terms of a purged text are erased with many short transactions', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    for (let page = 0; page < 4; page += 1) {
      await store.write(async (tx) => {
        for (let at = 0; at < 25; at += 1)
          await insertEntity(tx, { title: wordsOf(page * 25 + at, 16) })
      })
    }
    const { id } = await store.write((tx) => insertEntity(tx, { title: 'zebrafant' }))
    await store.write((tx) => tx.entities.remove(id, { at: NOW, by: null }))
    change(workspace, `INSERT INTO counter (name, value) VALUES ('unswept', 1)`)
    const spies = [vi.spyOn(Connection.prototype, 'run'), vi.spyOn(Connection.prototype, 'exec')]
    const swept = await store.sweep()
    const asked = spies.flatMap(({ mock }) => mock.calls.map(([sql]) => sql))
    for (const spy of spies) spy.mockRestore()
    expect(swept).toBe(true)
    expect(asked.filter((sql) => sql.includes("'optimize'"))).toEqual([])
    expect(asked.filter((sql) => sql.includes("'merge'")).length).toBeGreaterThanOrEqual(4)
    // 1,600 words, five hundred at a time.
    expect(asked.filter((sql) => sql.startsWith('BEGIN')).length).toBeGreaterThanOrEqual(5)
    expect(await store.search.wordsFrom('zebrafant', 5)).toEqual([])
    expect(await store.search.wordsFrom('word0x', 5)).not.toEqual([])
  })

  test('a large database is rewritten while the event loop goes on', async () => {
    await using workspace = await createWorkspace()
    change(
      workspace,
      'CREATE TABLE ballast (bytes BLOB)',
      `WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 2000)
        INSERT INTO ballast SELECT randomblob(6000) FROM n`,
      'DELETE FROM ballast WHERE rowid % 2 = 0',
    )
    const database = await workspace.openDatabase()
    const pages = () => database.get<{ page_count: number }>('PRAGMA page_count')
    const before = (await pages())?.page_count ?? 0
    let turns = 0
    const count = setInterval(() => (turns += 1), 0)
    expect(await database.rewrite()).toBe(true)
    clearInterval(count)
    expect(turns).toBeGreaterThan(5)
    expect((await pages())?.page_count).toBeLessThan(before * 0.7)
  })
})

function wordsOf(seed: number, count: number): string {
  return Array.from({ length: count }, (_, at) => `word${at}x${seed}y`).join(' ')
}
