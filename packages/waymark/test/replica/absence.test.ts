import { expect, test } from 'vitest'
import { createEntity, getEntity, updateEntity } from '../../src/entity/operations.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { createTeam } from './clones.ts'

test('a lease stays where it was taken, and what others send does not end it', async () => {
  await using team = createTeam()
  const ada = await team.clone('ada')
  const bob = await team.clone('bob')
  const { id } = await ada.run(createEntity, { type: 'task', title: 'do it' })
  await ada.sync()
  await bob.sync()
  await ada.run(claimTask, { id })
  const held = await ada.store.leases.of(id)
  expect(held).toBeDefined()
  await bob.run(updateEntity, { id, title: 'do it well', properties: { status: 'todo' } })
  for (const clone of [bob, ada, bob]) await clone.sync()
  expect(await ada.store.leases.of(id)).toEqual(held)
  expect(await bob.store.leases.of(id)).toBeUndefined()
  expect(await ada.run(getEntity, { id })).toMatchObject({ title: 'do it well' })
  const log = ada.git('grep', '-h', '-e', '', 'refs/waymark/log')
  expect(log).toContain(id)
  expect(log).not.toMatch(/lease|fence/)
})

test('what disappears from the log is not deleted anywhere', async () => {
  await using team = createTeam()
  const ada = await team.clone('ada')
  const bob = await team.clone('bob')
  const { id } = await ada.run(createEntity, { type: 'note', title: 'still here' })
  await ada.sync()
  await bob.sync()
  const tip = ada.git('rev-parse', 'refs/waymark/log').trim()
  const empty = ada.git('mktree').trim()
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.c']
  const commit = ada.git(...identity, 'commit-tree', empty, '-p', tip, '-m', 'nothing').trim()
  ada.git('push', '--quiet', 'origin', `${commit}:refs/waymark/log`)
  for (const clone of [ada, bob]) {
    expect((await clone.sync()).received).toMatchObject({ deleted: 0, purged: 0 })
    expect(await clone.run(getEntity, { id })).toMatchObject({ title: 'still here' })
  }
})
