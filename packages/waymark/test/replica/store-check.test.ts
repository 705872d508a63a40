import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { exportBackup, importBackup } from '../../src/backup/operations.ts'
import { createEntity, deleteEntity, getEntity, updateEntity } from '../../src/entity/operations.ts'
import { showHistory } from '../../src/sync/history/operations.ts'
import { createRelation } from '../../src/relation/operations.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { Connection } from '@waymark/sqlite'
import { type Clone, createTeam } from './clones.ts'

const BROKEN_HISTORY = `UPDATE replica SET document = x'00ff'`

const note = { type: 'note', title: 'a note' } as const

function damage(clone: Clone, ...statements: readonly string[]): void {
  const path = join(clone.directory, '.git', 'waymark', 'waymark.db')
  const connection = new Connection(path, 'write')
  for (const statement of statements) connection.exec(statement)
  connection.close()
}

function propertiesOf(clone: Clone, id: string): string | undefined {
  const path = join(clone.directory, '.git', 'waymark', 'waymark.db')
  const connection = new Connection(path, 'read')
  const question = 'SELECT properties FROM entity WHERE id = ?'
  const row = connection.get<{ properties: string }>(question, id)
  connection.close()
  return row?.properties
}

const failed = (report: { checks: { name: string; status: string }[] }) =>
  report.checks.filter(({ status }) => status !== 'ok').map(({ name }) => name)

describe('a check', () => {
  test('finds nothing wrong with a store that was used and synchronised', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const { id } = await ada.run(createEntity, { type: 'task', title: 'x', tags: ['b', 'a'] })
    const other = await ada.run(createEntity, { ...note, content: 'text' })
    await ada.run(createRelation, { source: other.id, target: id, type: 'documents' })
    await ada.sync()
    await ada.run(updateEntity, { id, properties: { status: 'done' } })
    await ada.run(deleteEntity, { id: other.id })
    const report = await ada.run(checkStore, {})
    expect(report).toMatchObject({ ok: true, repaired: 0 })
    expect(failed(report)).toEqual([])
  })

  test('rebuilds a document from the log and the row, and loses nothing', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const { id } = await ada.run(createEntity, { ...note, content: 'one\n', tags: ['t'] })
    await ada.sync()
    await ada.run(updateEntity, { id, content: 'one\ntwo\n' })
    const before = await ada.snapshot()
    damage(ada, `UPDATE replica SET document = x'00ff'`, 'DELETE FROM op')
    expect(failed(await ada.run(checkStore, {}))).toEqual(['documents'])
    expect(await ada.run(checkStore, { repair: true })).toMatchObject({ repaired: 1, ok: true })
    expect(failed(await ada.run(checkStore, {}))).toEqual([])
    expect(await ada.snapshot()).toEqual(before)
    await ada.sync()
    const bob = await team.clone('bob')
    await bob.sync()
    expect(await bob.snapshot()).toEqual(before)
    expect((await bob.run(showHistory, { id })).total).toBeGreaterThanOrEqual(2)
  })

  test('makes rows and indexes follow their documents again', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const { id } = await ada.run(createEntity, note)
    await ada.run(createEntity, { type: 'task', title: 'findable' })
    const before = await ada.snapshot()
    damage(
      ada,
      `UPDATE entity SET title = 'forged' WHERE id = '${id}'`,
      'DELETE FROM task',
      `DELETE FROM document WHERE kind = 'entity'`,
    )
    expect(failed(await ada.run(checkStore, {}))).toEqual(['documents', 'indexes', 'words'])
    await ada.run(checkStore, { repair: true })
    expect(failed(await ada.run(checkStore, {}))).toEqual([])
    expect(await ada.snapshot()).toEqual(before)
  })

  test('leaves what nobody can read any more as it is, and says so', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const { id } = await ada.run(createEntity, { ...note, properties: { note_type: 'kept' } })
    damage(
      ada,
      `UPDATE entity SET tags = '["cut'`,
      `UPDATE replica SET document = x'00ff'`,
      'DELETE FROM op',
    )
    const report = await ada.run(checkStore, { repair: true })
    expect(report).toMatchObject({ ok: false, repaired: 0 })
    expect(report.checks).toContainEqual(
      expect.objectContaining({ name: 'documents', status: 'failed', ids: [id] }),
    )
    expect(propertiesOf(ada, id)).toContain('kept')
  })

  test('a history that cannot be read holds up no other, and is made again from the row', async () => {
    await using team = createTeam()
    const [ada, bob] = [await team.clone('ada'), await team.clone('bob')]
    const { id } = await ada.run(createEntity, note)
    await ada.run(exportBackup, { path: 'before.jsonl' })
    damage(ada, BROKEN_HISTORY)
    await ada.run(createEntity, { type: 'note', title: 'another' })
    expect(await ada.sync()).toMatchObject({ sent: { entities: 1 }, unreadable: [id] })
    expect(await bob.sync()).toMatchObject({ received: { created: 1 } })
    expect(await ada.run(exportBackup, { path: 'rest.jsonl' })).toMatchObject({ unreadable: [id] })
    expect(await ada.run(checkStore, { repair: true })).toMatchObject({ ok: true, repaired: 1 })
    expect(await ada.sync()).toMatchObject({ sent: { entities: 1 }, unreadable: [] })
    expect(await bob.sync()).toMatchObject({ received: { created: 1 } })
  })

  test('what others said while a history could not be read is not undone by its repair', async () => {
    await using team = createTeam()
    const [ada, bob] = [await team.clone('ada'), await team.clone('bob')]
    const { id } = await ada.run(createEntity, { ...note, content: 'first\n' })
    await ada.sync()
    await bob.sync()
    await bob.run(updateEntity, { id, title: 'what Bob says', content: 'first\nsecond\n' })
    await bob.sync()
    await ada.run(updateEntity, { id, tags: ['hers'] })
    damage(ada, BROKEN_HISTORY)
    await expect(ada.sync()).rejects.toMatchObject({ code: 'storage_corrupt' })
    expect(await ada.run(checkStore, { repair: true })).toMatchObject({ ok: true, repaired: 1 })
    await ada.sync()
    await bob.sync()
    for (const clone of [ada, bob]) {
      expect(await clone.run(getEntity, { id })).toMatchObject({
        title: 'what Bob says',
        content: 'first\nsecond\n',
        tags: ['hers'],
      })
    }
  })

  test('an older backup beside a damaged history takes nothing back, and doubles nothing', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const { id } = await ada.run(createEntity, { ...note, content: 'a line\n' })
    await ada.run(exportBackup, { path: 'older.jsonl' })
    ada.tick(1000)
    await ada.run(updateEntity, { id, title: 'newer' })
    damage(ada, BROKEN_HISTORY)
    const takeIn = () => ada.run(importBackup, { path: 'older.jsonl' })
    await expect(takeIn()).rejects.toMatchObject({ code: 'storage_corrupt' })
    expect(await ada.run(checkStore, { repair: true })).toMatchObject({ ok: true, repaired: 1 })
    const found = await ada.run(getEntity, { id })
    expect(found).toMatchObject({ title: 'newer', content: 'a line\n' })
  })

  test('what nobody can read any more comes back from a backup', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const { id } = await ada.run(createEntity, { ...note, tags: ['kept'] })
    await ada.run(exportBackup, { path: 'all.jsonl' })
    damage(ada, BROKEN_HISTORY, `UPDATE entity SET tags = '["cut'`)
    expect(await ada.run(checkStore, { repair: true })).toMatchObject({ ok: false })
    await ada.run(importBackup, { path: 'all.jsonl' })
    expect(await ada.run(checkStore, { repair: true })).toMatchObject({ ok: true })
    expect(await ada.run(getEntity, { id })).toMatchObject({ tags: ['kept'] })
  })

  test('takes a dead task out of the queue, however it got back into it', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const { id } = await ada.run(createEntity, { type: 'task', title: 'gone', tags: ['old'] })
    await ada.run(deleteEntity, { id })
    damage(
      ada,
      `INSERT INTO task_facet
        (facet, value, priority, rank, due, number, id, defer_until, closed, resolved, blocked)
        SELECT 'label', 'old', 500, 0, '9999-99-99', number, id, NULL, 0, 0, 0 FROM entity`,
    )
    expect(failed(await ada.run(checkStore, {}))).toEqual(['indexes'])
    expect(await ada.run(checkStore, { repair: true })).toMatchObject({ repaired: 1, ok: true })
    expect(failed(await ada.run(checkStore, {}))).toEqual([])
  })

  test('tells of circles and loose ends that only a merge could make', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const bob = await team.clone('bob')
    const first = await ada.run(createEntity, { type: 'task', title: 'first' })
    const second = await ada.run(createEntity, { type: 'task', title: 'second' })
    const third = await ada.run(createEntity, { type: 'task', title: 'third' })
    await ada.sync()
    await bob.sync()
    await ada.run(createRelation, { source: first.id, target: second.id, type: 'blocks' })
    await ada.run(deleteEntity, { id: third.id })
    await bob.run(createRelation, { source: second.id, target: first.id, type: 'blocks' })
    await bob.run(createRelation, { source: second.id, target: third.id, type: 'references' })
    for (const clone of [ada, bob, ada]) await clone.sync()
    for (const clone of [ada, bob]) {
      expect(failed(await clone.run(checkStore, {}))).toEqual(['references', 'cycles'])
    }
    damage(ada, `UPDATE dangling SET value = '{'`)
    expect(failed(await ada.run(checkStore, {}))).toEqual(['documents', 'references', 'cycles'])
    expect(await ada.run(checkStore, { repair: true })).toMatchObject({ repaired: 1, ok: true })
    expect(failed(await ada.run(checkStore, {}))).toEqual(['references', 'cycles'])
    expect(await ada.store.replica.danglingTo(third.id)).toEqual([
      expect.objectContaining({ sourceId: second.id, type: 'references', createdBy: 'bob' }),
    ])
  })
})
