import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { showBrief } from '../../src/brief/operations.ts'
import { showStatus } from '../../src/project/status.ts'
import { claimTask, releaseTask, renewTask, takeTask } from '../../src/task/lease/operations.ts'
import { runSync } from '../../src/sync/operations.ts'
import { listTasks } from '../../src/task/queue/list.ts'
import { createTask, getTasks, updateTask } from '../../src/task/operations.ts'
import { explainTask } from '../../src/task/queue/explain.ts'
import { completeTask, reopenTask } from '../../src/task/state/operations.ts'
import { change } from '../../src/core/change.ts'
import { EMPTY_REGISTER } from '../../src/sync/live/register.ts'
import { claim } from '../../src/task/lease/rules.ts'
import { settle } from '../../src/task/lease/shared/settle.ts'
import { type Clone, createTeam, type Team } from './clones.ts'
import { START } from './replicas.ts'
import { NO_AGENT } from '../../src/agent/agent.ts'
import type { EntityId } from '../../src/entity/entity-id.ts'
import { BEFORE_ALL } from '../../src/event/event-id.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

interface Pair {
  readonly ada: Clone
  readonly bob: Clone
  readonly id: EntityId
}

/** Two synced clones whose claims the remote grants, and that know the same task. */
async function withTask(team: Team): Promise<Pair> {
  const ada = await team.clone('ada', { coordination: 'auto' })
  const bob = await team.clone('bob', { coordination: 'auto' })
  for (const clone of [ada, bob]) clone.git('config', 'user.name', clone === ada ? 'ada' : 'bob')
  const { task } = await ada.run(createTask, { title: 'Write the parser' })
  await ada.sync()
  await bob.sync()
  return { ada, bob, id: task.id }
}

function refsOf(team: Team, clone: Clone): string {
  return clone.git('ls-remote', team.remote, 'refs/waymark/live')
}

async function statusOf(clone: Clone, id: string): Promise<string | undefined> {
  return (await clone.run(getTasks, { ids: [id] })).tasks[0]?.status
}

describe('a claim that the remote grants', () => {
  test('has one winner between clones that have not synced since [one-winner]', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    const first = await ada.run(claimTask, { id })
    await expect(bob.run(claimTask, { id })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('task 1 is held by ada in another clone, until') as string,
      details: { reason: 'held_elsewhere' },
    })
    expect(await bob.run(takeTask, {})).toEqual({ claimed: null })
    expect(first.lease.fence).toBeGreaterThan(0)
    expect(refsOf(team, ada)).toContain('refs/waymark/live')
  })

  test('shows its holder in the other clone where people look, before any sync', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    await ada.run(claimTask, { id })
    await bob.run(claimTask, { id }).catch(() => undefined)
    expect((await bob.run(getTasks, { ids: [id] })).tasks[0]?.held_elsewhere?.by).toEqual(['ada'])
    expect((await bob.run(showStatus, {})).held).toMatchObject([{ number: 1, agent: 'ada' }])
    expect((await bob.run(showBrief, {})).agents).toMatchObject([{ name: 'ada', number: 1 }])
    expect((await bob.run(explainTask, { id })).obstacles).toMatchObject([
      { reason: 'held_elsewhere' },
    ])
  })

  test('of twelve agents in three clones at the same moment is granted to one [one-winner-race]', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    const eve = await team.clone('eve', { coordination: 'auto' })
    await eve.sync()
    const names = ['one', 'two', 'three', 'four']
    const claims = [ada, bob, eve].flatMap(({ context }) =>
      names.map((name) =>
        execute({ ...context, agent: { name, surface: 'api' } }, claimTask, { id }),
      ),
    )
    const granted = (await Promise.allSettled(claims)).filter(
      ({ status }) => status === 'fulfilled',
    )
    expect(granted).toHaveLength(1)
  })

  test('ends with its release, and the next fence is higher [shared-fence]', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    const first = await ada.run(claimTask, { id })
    await ada.run(releaseTask, { id })
    const second = await bob.run(claimTask, { id })
    expect(second.lease.fence).toBeGreaterThan(first.lease.fence)
    await expect(ada.run(completeTask, { id, fence: first.lease.fence })).rejects.toMatchObject({
      code: 'lease_lost',
    })
  })

  test('ends with its completion: the task is closed for clones that have not synced since', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    await ada.run(claimTask, { id })
    await ada.run(completeTask, { id })
    expect(await bob.run(takeTask, {})).toEqual({ claimed: null })
    await expect(bob.run(claimTask, { id })).rejects.toMatchObject({
      details: { reason: 'closed_elsewhere' },
    })
    await ada.sync()
    await bob.sync()
    expect(await statusOf(bob, id)).toBe('done')
    await bob.run(reopenTask, { id })
    await bob.run(claimTask, { id })
    await expect(ada.run(claimTask, { id })).rejects.toMatchObject({
      details: { reason: 'closed' },
    })
  })

  test('goes to another clone only when it is over by all clocks that are ten minutes wrong [shared-skew]', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    await ada.run(claimTask, { id, seconds: 7200 })
    // What ada's clone was granted, and nineteen minutes by which bob's clock is ahead.
    bob.tick(4 * HOUR + 19 * MINUTE)
    await expect(bob.run(claimTask, { id })).rejects.toMatchObject({
      details: { reason: 'held_elsewhere' },
    })
    bob.tick(2 * MINUTE)
    const taken = await bob.run(claimTask, { id })
    expect(taken.lease.agent_name).toBe('bob')
    // Ada is still within its lease by its own, slow clock. The fence decides when it meets the remote.
    await ada.sync()
    await expect(ada.run(completeTask, { id })).rejects.toMatchObject({ code: 'conflict' })
    await expect(ada.run(renewTask, { id })).rejects.toMatchObject({ code: 'lease_lost' })
  })

  test('is renewed at most up to what the remote has granted, and by asking it beyond that', async () => {
    await using team = createTeam()
    const { ada, id } = await withTask(team)
    await ada.run(claimTask, { id, seconds: 7200 })
    for (let hours = 0; hours < 6; hours += 1) {
      ada.tick(HOUR)
      await ada.run(renewTask, { id, seconds: 7200 })
    }
    renameSync(team.remote, `${team.remote}.away`)
    ada.tick(HOUR)
    await ada.run(renewTask, { id, seconds: 7200 })
    ada.tick(HOUR)
    await ada.run(renewTask, { id, seconds: 7200 })
    ada.tick(2 * HOUR)
    await expect(ada.run(renewTask, { id })).rejects.toMatchObject({ code: 'lease_lost' })
  })

  test('lasts as long as the remote has granted it, also when the clock of its machine is set ahead', async () => {
    await using team = createTeam()
    const { ada, id } = await withTask(team)
    let [passed, set] = [0, 0]
    const context = {
      ...ada.context,
      now: () => START + HOUR + passed + set,
      uptime: () => ({ boot: 1, ms: passed }),
    }
    const renew = () => execute(context, renewTask, { id, seconds: 7200 })
    await execute(context, claimTask, { id, seconds: 7200 })
    renameSync(team.remote, `${team.remote}.away`)
    set = 48 * HOUR
    for (let hours = 0; hours < 2; hours += 1) {
      passed += HOUR
      await renew()
    }
    passed += 3 * HOUR
    await expect(renew()).rejects.toMatchObject({ code: 'lease_lost' })
  })

  test('is taken over with force, and the other clone is told [shared-force]', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    await ada.run(claimTask, { id })
    const taken = await bob.run(claimTask, { id, force: true })
    expect(taken.warnings?.[0]?.message).toContain('ada held it in another clone')
    const report = await ada.sync()
    expect(report.claims.lost).toMatchObject([{ number: 1, by: 'bob' }])
    await expect(ada.run(updateTask, { id, title: 'Mine' })).rejects.toMatchObject({
      details: { reason: 'held_elsewhere' },
    })
  })

  test.each(['with its fence', 'without one'])(
    'is not closed by the clone that lost it to force and has not heard of that, %s [late-after-force]',
    async (how) => {
      await using team = createTeam()
      const { ada, bob, id } = await withTask(team)
      const { lease } = await ada.run(claimTask, { id })
      await bob.run(claimTask, { id, force: true })
      await ada.run(completeTask, { id, ...(how === 'with its fence' && { fence: lease.fence }) })
      await ada.sync()
      await bob.sync()
      for (const clone of [ada, bob]) expect(await statusOf(clone, id)).toBe('in_progress')
      await bob.run(completeTask, { id })
      await bob.sync()
      await ada.sync()
      for (const clone of [ada, bob]) expect(await statusOf(clone, id)).toBe('done')
    },
  )

  test('is the holder’s alone where it was taken over, and no longer shown as held elsewhere', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    await ada.run(claimTask, { id })
    await bob.run(claimTask, { id, force: true })
    expect(await bob.store.leases.shared.foreignOf(id, START)).toBeUndefined()
  })
})

test('a claim whose process stood still too long is not granted once its clone has given it up [slow-claimer]', async () => {
  await using team = createTeam()
  const { ada, id } = await withTask(team)
  const { leases } = ada.store
  // Up to the answer of the remote, and no further.
  await ada.run(claimTask, { id })
  const { lease } = await ada.run(renewTask, { id })
  const row = (await leases.shared.of(id, 0)) ?? expect.unreachable()
  const register = {
    ...EMPTY_REGISTER,
    fence: lease.fence,
    leases: new Map([[id, { ...LEASE, task: id, nonce: row.nonce, fence: lease.fence }]]),
  }
  await ada.run(releaseTask, { id })
  await ada.store.write((tx) => tx.leases.shared.put(id, { ...row, state: 'asked', at: START }))
  ada.tick(2 * MINUTE)
  const { next } = await change(ada.context, (change) => settle(change, register))
  expect(next.leases.size).toBe(0)
  const ticket = {
    taskId: id,
    nonce: row.nonce,
    fence: 9,
    expiresAt: START + HOUR,
    takenFrom: undefined,
  }
  const late = change(ada.context, async (change) => {
    const task = (await change.entities.byId(id)) ?? expect.unreachable()
    const agent = (await change.agents.byId(row.agentId ?? NO_AGENT)) ?? expect.unreachable()
    await claim(change, task, agent, { ticket, identityProved: true, resumes: false })
  })
  await expect(late).rejects.toThrow('is being claimed')
  // The next claim is granted as ever.
  await ada.run(claimTask, { id })
})

const LEASE = {
  task: '',
  agent: 'ada',
  person: '',
  clone: '0123abcd',
  nonce: '',
  fence: 0,
  granted: START,
  expires: START + 4 * HOUR,
}

describe('a person who takes a task from an agent of the same clone', () => {
  const asPerson = ({ context }: Clone) => ({
    ...context,
    agent: { name: 'ada', surface: 'cli', assumed: true } as const,
  })

  test('ends its lease only with the grant of the remote; without it the agent keeps all of it [force-restored]', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    const held = await ada.run(claimTask, { id })
    const { fence } = held.lease
    renameSync(team.remote, `${team.remote}.away`)
    const refused = execute(asPerson(ada), claimTask, { id, force: true })
    await expect(refused).rejects.toMatchObject({ details: { reason: 'remote_unreachable' } })
    expect((await ada.run(renewTask, { id, fence })).lease.fence).toBe(fence)
    renameSync(`${team.remote}.away`, team.remote)
    expect((await ada.sync()).claims.lost).toEqual([])
    await expect(bob.run(claimTask, { id })).rejects.toMatchObject({
      details: { reason: 'held_elsewhere' },
    })
    const taken = await execute(asPerson(ada), claimTask, { id, force: true })
    expect(taken.lease.fence).toBeGreaterThan(fence)
    await expect(ada.run(completeTask, { id, fence })).rejects.toMatchObject({ code: 'lease_lost' })
    await execute(asPerson(ada), completeTask, { id, fence: taken.lease.fence })
  })

  test('ends nothing if the remote refuses the register', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    const { lease } = await ada.run(claimTask, { id })
    const hook = join(team.remote, 'hooks', 'update')
    writeFileSync(hook, '#!/bin/sh\nexit 1\n')
    chmodSync(hook, 0o755)
    const context = { ...asPerson(ada), coordination: 'git' } as const
    const refused = execute(context, claimTask, { id, force: true })
    await expect(refused).rejects.toMatchObject({ details: { reason: 'push_refused' } })
    rmSync(hook)
    await ada.sync()
    await expect(bob.run(claimTask, { id })).rejects.toMatchObject({
      details: { reason: 'held_elsewhere' },
    })
    await ada.run(completeTask, { id, fence: lease.fence })
  })
})

describe('without the remote', () => {
  test('a claim is refused, with what to do [offline-claim]', async () => {
    await using team = createTeam()
    const { ada, id } = await withTask(team)
    renameSync(team.remote, `${team.remote}.away`)
    await expect(ada.run(claimTask, { id })).rejects.toMatchObject({
      message: expect.stringContaining('--offline') as string,
      details: { reason: 'remote_unreachable' },
    })
    expect((await ada.run(getTasks, { ids: [id] })).tasks[0]?.lease).toBeUndefined()
  })

  test('a provisional claim is confirmed by the next sync, with a fence of the remote', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    renameSync(team.remote, `${team.remote}.away`)
    const claimed = await ada.run(claimTask, { id, offline: true })
    expect(claimed.warnings).toMatchObject([{ code: 'provisional' }])
    renameSync(`${team.remote}.away`, team.remote)
    await ada.sync()
    await expect(bob.run(claimTask, { id })).rejects.toMatchObject({
      details: { reason: 'held_elsewhere' },
    })
    // The fence that the agent was given stays valid.
    await ada.run(completeTask, { id, fence: claimed.lease.fence })
  })

  test('a provisional claim loses against a granted one, and what was written is kept [provisional-loses]', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    await ada.run(claimTask, { id, offline: true })
    await ada.run(updateTask, { id, content: 'notes of ada' })
    await bob.run(claimTask, { id })
    const report = await ada.sync()
    expect(report.claims.lost).toMatchObject([{ number: 1, by: 'bob' }])
    await bob.sync()
    const [task] = (await bob.run(getTasks, { ids: [id] })).tasks
    expect(task).toMatchObject({ content: 'notes of ada', status: 'in_progress' })
    expect(task?.lease?.agent_name).toBe('bob')
  })

  test('a task that was completed meanwhile stays with its holder in another clone [stale-completion]', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await withTask(team)
    await bob.run(claimTask, { id })
    // Ada has not heard of it.
    await ada.run(completeTask, { id, reason: 'done on the train' })
    const report = await ada.sync()
    expect(report.claims.reopened.length + (await countReopened(ada))).toBeGreaterThan(0)
    expect(await statusOf(ada, id)).toBe('in_progress')
    await bob.sync()
    expect(await statusOf(bob, id)).toBe('in_progress')
    await bob.run(completeTask, { id })
  })
})

async function countReopened(clone: Clone): Promise<number> {
  const events = await clone.store.events.after(BEFORE_ALL, { types: ['task.reopened'], limit: 10 })
  return events.length
}

test('a watching clone has what others push, and pushes what is written in it, until it is stopped [sync-watch]', async () => {
  await using team = createTeam()
  const { ada, bob } = await withTask(team)
  const stop = new AbortController()
  const watching = execute({ ...bob.context, signal: stop.signal }, runSync, { watch: true }).catch(
    (error: unknown) => error,
  )
  await ada.run(createTask, { title: 'Write the lexer' })
  await ada.sync()
  await bob.run(createTask, { title: 'Write the printer' })
  const has = async (clone: Clone, title: string): Promise<boolean> => {
    const { tasks } = await clone.run(listTasks, {})
    return tasks.some((task) => task.title === title)
  }
  await expect.poll(() => has(bob, 'Write the lexer'), POLL).toBe(true)
  await expect
    .poll(async () => {
      await ada.sync()
      return await has(ada, 'Write the printer')
    }, POLL)
    .toBe(true)
  stop.abort()
  await watching
})

const POLL = { timeout: 60_000, interval: 200 }
