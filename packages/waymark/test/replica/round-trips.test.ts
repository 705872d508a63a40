import { readFileSync, rmSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import { createEntity } from '../../src/entity/operations.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { type Clone, createTeam, git, type Team } from './clones.ts'

afterEach(() => vi.unstubAllEnvs())

const note = { type: 'note', title: 'Sessions live for an hour' } as const

/** Which calls of git have reached the remote during the work. */
async function countCalls(team: Team, work: () => Promise<unknown>): Promise<readonly string[]> {
  const trace = `${team.remote}.trace`
  rmSync(trace, { force: true })
  vi.stubEnv('GIT_TRACE', trace)
  await work()
  vi.unstubAllEnvs()
  const calls = readFileSync(trace, 'utf8').matchAll(/built-in: git (fetch|push|ls-remote) /g)
  return [...calls].map(([, call = '']) => call)
}

async function pairOf(team: Team): Promise<readonly [Clone, Clone]> {
  const ada = await team.clone('ada', { coordination: 'auto' })
  const bob = await team.clone('bob', { coordination: 'auto' })
  await ada.run(createEntity, note)
  await ada.sync()
  await bob.sync()
  await ada.sync()
  return [ada, bob]
}

test('a sync without news takes one round trip, and one that only sends takes two [sync-round-trips]', async () => {
  await using team = createTeam()
  const [ada, bob] = await pairOf(team)
  expect(await countCalls(team, () => ada.sync())).toEqual(['ls-remote'])
  await ada.run(createEntity, note)
  expect(await countCalls(team, () => ada.sync())).toEqual(['ls-remote', 'push'])
  // What came back is what was sent: nothing to fetch.
  expect(await countCalls(team, () => ada.sync())).toEqual(['ls-remote'])
  expect(await countCalls(team, () => bob.sync())).toEqual(['ls-remote', 'fetch'])
  expect(await bob.lines()).toHaveLength((await ada.lines()).length)
})

test('a sync after a claim knows the register that this clone wrote', async () => {
  await using team = createTeam()
  const [ada, bob] = await pairOf(team)
  const { task } = await ada.run(createTask, { title: 'Write the parser' })
  await ada.sync()
  await ada.run(claimTask, { id: task.id })
  // The status is sent; the register need not be asked for.
  expect(await countCalls(team, () => ada.sync())).toEqual(['ls-remote', 'push'])
  await bob.sync()
  await expect(bob.run(claimTask, { id: task.id })).rejects.toMatchObject({
    details: { reason: 'held_elsewhere' },
  })
})

test('where a remote is pushed to elsewhere, the register is read there', async () => {
  await using team = createTeam()
  const [ada, bob] = await pairOf(team)
  const { task } = await ada.run(createTask, { title: 'Write the parser' })
  await ada.sync()
  await bob.sync()
  // Bob fetches from a copy without a register, and pushes to where claims are granted.
  const copy = `${team.remote}.copy`
  git(team.remote, 'clone', '--quiet', '--mirror', team.remote, copy)
  git(copy, 'update-ref', '-d', 'refs/waymark/live')
  bob.git('remote', 'set-url', '--push', 'origin', team.remote)
  bob.git('remote', 'set-url', 'origin', copy)
  await ada.run(claimTask, { id: task.id })
  await bob.sync()
  const found = await bob.context.store.leases.shared.foreignOf(task.id, bob.context.now())
  expect(found?.isClosed).toBe(false)
})

test('a log that was removed at the remote is written again', async () => {
  await using team = createTeam()
  const [ada] = await pairOf(team)
  git(team.remote, 'update-ref', '-d', 'refs/waymark/log')
  expect(await countCalls(team, () => ada.sync())).toEqual(['ls-remote', 'fetch', 'push'])
  expect(git(team.remote, 'rev-parse', 'refs/waymark/log')).toBe(
    ada.git('rev-parse', 'refs/waymark/log'),
  )
})
