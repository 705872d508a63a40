import { describe, expect, test } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import {
  createEntity,
  deleteEntity,
  getEntity,
  listEntities,
  updateEntity,
} from '../../src/entity/operations.ts'
import { purgeEntity, restoreEntity, showHistory } from '../../src/sync/history/operations.ts'
import { createRelation } from '../../src/relation/operations.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { runSync } from '../../src/sync/operations.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { type Clone, createTeam, git, type Team } from './clones.ts'
import { forgeLine, forgePurge, pushLines, setValue } from './hostile-log.ts'

const note = { type: 'note', title: 'a note' } as const

async function createVictim(team: Team, count: number): Promise<readonly [Clone, string[]]> {
  const ada = await team.clone('ada')
  const ids: string[] = []
  for (let n = 1; n <= count; n++) {
    ids.push((await ada.run(createEntity, { ...note, title: `note ${n}`, content: 'sent' })).id)
  }
  await ada.sync()
  return [ada, ids]
}

function logOf(remote: string): string {
  const blobs = git(remote, 'ls-tree', '--object-only', 'refs/waymark/log').trim().split('\n')
  return blobs.map((blob) => git(remote, 'cat-file', 'blob', blob)).join('')
}

const titles = async (clone: Clone): Promise<string[]> =>
  (await clone.run(listEntities, {})).entities.map(({ title }) => title)

describe('a purge that another clone asks for', () => {
  test('deletes what can be restored, with its history, relations and unsent edits [hostile-purges-deletes-restored]', async () => {
    await using team = createTeam()
    const [ada, [first = '', second = '']] = await createVictim(team, 3)
    await ada.run(updateEntity, { id: first, content: 'never sent' })
    await ada.run(createRelation, { source: first, target: second, type: 'references' })
    pushLines(team.remote, [forgePurge(first)])
    const asked = { id: first, number: 1, title: 'note 1' }
    const dry = await ada.sync({ dry_run: true })
    expect(dry).toMatchObject({ received: { updated: 0, purged: 1 }, purges: [asked] })
    expect(await titles(ada)).toHaveLength(3)
    const report = await ada.sync()
    expect(report.received).toMatchObject({ purged: 1, deleted: 1 })
    expect(report.purges).toEqual([{ ...asked, state: 'deleted', remote: 'origin' }])
    await expect(ada.run(getEntity, { id: first })).rejects.toMatchObject({ code: 'not_found' })
    expect((await ada.run(showHistory, { id: first })).total).toBe(3)
    const { checks } = await ada.run(checkStore, {})
    expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
    expect(checks.find(({ name }) => name === 'purges')).toMatchObject({ status: 'warning' })

    await ada.run(restoreEntity, { id: first })
    expect((await ada.run(getEntity, { id: first })).content).toBe('never sent')
    expect(await ada.store.relations.count()).toBe(1)
    // It stays here, and is not sent to those who purged it.
    expect((await ada.sync()).purges).toEqual([])
    expect(await titles(ada)).toHaveLength(3)
    expect(logOf(team.remote)).not.toContain('never sent')
    expect((await ada.run(checkStore, {})).ok).toBe(true)
  })

  test('deletes a task that an agent holds, and ends its lease', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const { task } = await ada.run(createTask, { title: 'in work' })
    await ada.sync()
    const { lease } = await ada.run(claimTask, { id: task.id })
    pushLines(team.remote, [forgePurge(task.id)])
    expect((await ada.sync()).purges).toMatchObject([{ title: 'in work', state: 'deleted' }])
    await expect(ada.run(completeTask, { id: task.id, fence: lease.fence })).rejects.toMatchObject({
      code: 'lease_lost',
      details: { reason: 'closed_by_sync' },
    })
    await ada.run(restoreEntity, { id: task.id })
    await ada.run(claimTask, { id: task.id })
  })

  test('is not undone by what arrives of the entity later', async () => {
    await using team = createTeam()
    const [ada, [first = '']] = await createVictim(team, 2)
    pushLines(team.remote, [forgePurge(first)])
    await ada.sync()
    pushLines(team.remote, [forgeLine(first, [setValue('fields', 'title', 'back again')])])
    const { purges } = await ada.sync()
    expect(purges).toMatchObject([{ id: first, state: 'deleted' }])
    expect(await titles(ada)).toEqual(['note 2'])
  })

  test('is carried out when confirmed, one or all of them', async () => {
    await using team = createTeam()
    const [ada, [first = '', second = '', third = '']] = await createVictim(team, 4)
    pushLines(team.remote, [first, second, third].map(forgePurge))
    await ada.sync()
    await ada.run(purgeEntity, { id: first, confirm: true })
    const { purges } = await ada.sync({ accept_purges: true })
    expect(purges.map(({ title, state }) => `${title} ${state}`)).toEqual([
      'note 2 purged',
      'note 3 purged',
    ])
    expect(await ada.store.replica.purged()).toEqual([first, second, third].toSorted())
    for (const id of [first, second, third]) {
      await expect(ada.run(restoreEntity, { id })).rejects.toMatchObject({ code: 'conflict' })
    }
    const log = logOf(team.remote)
    for (const n of [1, 2, 3]) expect(log).not.toContain(`note ${n}`)
    expect(log).toContain('note 4')
    expect((await ada.sync()).purges).toEqual([])
  })

  test('for many at once changes nothing before it is confirmed [hostile-purges-many-once]', async () => {
    await using team = createTeam()
    const [ada, ids] = await createVictim(team, 23)
    await ada.run(updateEntity, { id: ids[0] ?? '', content: 'never sent' })
    pushLines(team.remote, ids.map(forgePurge))
    expect((await ada.sync({ dry_run: true })).received.purged).toBe(23)
    const { purges, received } = await ada.sync()
    expect(received).toMatchObject({ purged: 23, deleted: 0 })
    expect(new Set(purges.map(({ state }) => state))).toEqual(new Set(['held']))
    expect(await titles(ada)).toHaveLength(23)
    // More of them in the next exchange are held too.
    expect((await ada.sync()).purges).toHaveLength(23)
    const fresh = await team.clone('fresh')
    await fresh.sync()
    expect((await fresh.run(listEntities, {})).total).toBe(23)
    expect((await ada.sync({ accept_purges: true })).purges).toHaveLength(23)
    expect((await ada.run(listEntities, {})).total).toBe(0)
  })

  test('is withdrawn when the log is put back to before it', async () => {
    await using team = createTeam()
    const [ada, [first = '', second = '']] = await createVictim(team, 2)
    const before = git(team.remote, 'rev-parse', 'refs/waymark/log').trim()
    pushLines(team.remote, [forgePurge(first), forgePurge(second)])
    await ada.sync()
    await ada.run(restoreEntity, { id: second })
    await ada.run(updateEntity, { id: second, content: 'kept and changed' })
    for (const place of [team.remote, ada.directory]) {
      git(place, 'update-ref', 'refs/waymark/log', before)
    }
    expect((await ada.sync()).purges).toEqual([])
    expect(await titles(ada)).toEqual(['note 1', 'note 2'])
    expect(logOf(team.remote)).toContain('kept and changed')
    expect((await ada.run(checkStore, {})).ok).toBe(true)
  })

  test('cannot be accepted by a tool', async () => {
    await using team = createTeam()
    const [ada] = await createVictim(team, 1)
    const context = { ...ada.context, agent: { name: 'ada', surface: 'mcp' } } as const
    await expect(execute(context, runSync, { accept_purges: true })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  test('by a teammate converges once everybody has confirmed it, and nothing comes back', async () => {
    await using team = createTeam()
    const [ada, [first = '']] = await createVictim(team, 2)
    const bob = await team.clone('bob')
    await bob.sync()
    await bob.run(updateEntity, { id: first, content: 'a late edit' })
    await ada.run(purgeEntity, { id: first, confirm: true })
    await ada.sync()
    await bob.sync()
    await bob.sync()
    expect(logOf(team.remote)).not.toContain('note 1')
    expect(logOf(team.remote)).not.toContain('a late edit')
    expect((await ada.sync()).received).toMatchObject({ created: 0, updated: 0 })
    await bob.sync({ accept_purges: true })
    await ada.sync()
    expect(await bob.snapshot()).toEqual(await ada.snapshot())
  })
})

test('deletions that arrive are named, and can be restored', async () => {
  await using team = createTeam()
  const [ada, ids] = await createVictim(team, 3)
  const bob = await team.clone('bob')
  await bob.sync()
  for (const id of ids) await bob.run(deleteEntity, { id })
  await bob.sync()
  const dry = await ada.sync({ dry_run: true })
  expect(dry.received).toMatchObject({ updated: 0, deleted: 3 })
  const { deletions } = await ada.sync()
  expect(deletions.map(({ number, title }) => `${number} ${title}`)).toEqual([
    '1 note 1',
    '2 note 2',
    '3 note 3',
  ])
  await ada.run(restoreEntity, { id: ids[0] ?? '' })
  expect(await titles(ada)).toEqual(['note 1'])
})
