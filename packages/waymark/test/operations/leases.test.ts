import { describe, expect, it } from 'vitest'
import { agentIdOf, toAgentId } from '../../src/agent/agent.ts'
import { execute } from '../../src/core/execute.ts'
import type { Operation } from '../../src/core/operation.ts'
import { leaveAgent } from '../../src/agent/operations.ts'
import { createEntity, deleteEntity, updateEntity } from '../../src/entity/operations.ts'
import { claimTask, releaseTask, renewTask, takeTask } from '../../src/task/lease/operations.ts'
import { checkEdit } from '../../src/task/lock/operations.ts'
import { blockedTasks, nextTask, readyTasks } from '../../src/task/queue/operations.ts'
import { cancelTask, completeTask, deferTask, reopenTask } from '../../src/task/state/operations.ts'
import { getTask } from '../../src/task/operations.ts'
import { type Setup, setup, START } from '../setup.ts'
import { BEFORE_ALL } from '../../src/event/event-id.ts'

const MINUTE = 60_000

async function projectWith(...tasks: readonly object[]): Promise<Setup> {
  const project = await setup()
  for (const task of tasks) {
    await execute(project.context, createEntity, { type: 'task', title: 'T', ...task })
  }
  return project
}

async function eventTypes({ context }: Setup): Promise<string[]> {
  const events = await context.store.events.after(BEFORE_ALL, { limit: 1000 })
  return events.map(({ type }) => type)
}

describe('claiming', () => {
  it('the task is the agent’s for fifteen minutes, and everybody sees that', async () => {
    await using project = await projectWith({ title: 'A' })
    const claimed = await execute(project.as('ann'), claimTask, { id: '1' })
    expect(claimed).toMatchObject({
      task: { number: 1, title: 'A', status: 'in_progress' },
      lease: {
        agent_id: agentIdOf('ann'),
        fence: 1,
        granted_at: '2026-11-15T12:00:00.000Z',
        expires_at: '2026-11-15T12:15:00.000Z',
      },
      renewed: false,
      overlaps: [],
      unread_messages: 0,
    })
    expect(await execute(project.context, readyTasks, { include_held: true })).toMatchObject({
      tasks: [{ lease: { agent_id: agentIdOf('ann') } }],
    })
    expect(await execute(project.context, readyTasks, {})).toMatchObject({
      tasks: [],
      total: 0,
    })
    expect(await execute(project.context, nextTask, {})).toEqual({ task: null })
    expect(await eventTypes(project)).toEqual(['entity.created', 'agent.joined', 'task.claimed'])
  })

  it('a held task is a conflict that says who holds it and until when', async () => {
    await using project = await projectWith({ title: 'A' })
    await execute(project.as('ann'), claimTask, { id: '1' })
    const second = execute(project.as('bob'), claimTask, { id: '1' })
    await expect(second).rejects.toMatchObject({
      code: 'conflict',
      details: {
        reason: 'held',
        claimed_by: agentIdOf('ann'),
        expires_at: '2026-11-15T12:15:00.000Z',
        fence: 1,
      },
    })
    await expect(second).rejects.toThrow(/held by ann .* until 2026-11-15T12:15/)
  })

  it('claiming again renews, with the same fence', async () => {
    await using project = await projectWith({})
    await execute(project.as('ann'), claimTask, { id: '1' })
    project.tick(5 * MINUTE)
    expect(await execute(project.as('ann'), claimTask, { id: '1' })).toMatchObject({
      lease: { fence: 1, expires_at: '2026-11-15T12:20:00.000Z' },
      renewed: true,
    })
  })

  it('two who only happen to have the same name do not get the same task', async () => {
    await using project = await projectWith({})
    const agent = { name: 'Test Author', surface: 'cli', assumed: true } as const
    const first = project.as('', { agent })
    const { lease } = await execute(first, claimTask, { id: '1' })
    await expect(execute(first, claimTask, { id: '1' })).rejects.toMatchObject({
      details: { reason: 'held' },
    })
    expect(await execute(first, claimTask, { id: '1', fence: lease.fence })).toMatchObject({
      renewed: true,
    })
  })

  it('connections with the same name are different agents', async () => {
    await using project = await projectWith({}, {})
    const connection = (id: string) =>
      project.as('', { agent: { name: 'claude', surface: 'mcp', id: toAgentId(id) } })
    await execute(connection('A1'), claimTask, { id: '1' })
    await expect(execute(connection('A2'), claimTask, { id: '1' })).rejects.toMatchObject({
      details: { claimed_by: 'A1' },
    })
    expect(await execute(connection('A2'), takeTask, {})).toMatchObject({
      claimed: { task: { number: 2 }, lease: { agent_id: 'A2' } },
    })
  })

  it.each([
    [undefined, 15 * MINUTE],
    [1, MINUTE],
    [600, 10 * MINUTE],
    [1_000_000, 120 * MINUTE],
  ])('a lease of %s seconds lasts %i ms', async (seconds, lasts) => {
    await using project = await projectWith({})
    const { lease } = await execute(project.as('ann'), claimTask, { id: '1', seconds })
    expect(Date.parse(lease.expires_at) - START).toBe(lasts)
  })

  it.each([
    ['done', { status: 'done' }, { reason: 'closed' }],
    ['cancelled', { status: 'cancelled' }, { reason: 'closed' }],
    ['put off', { defer_until: '2026-11-16' }, { reason: 'deferred' }],
  ])('a task that is %s cannot be claimed', async (_, properties, details) => {
    await using project = await projectWith({ properties })
    await expect(execute(project.as('ann'), claimTask, { id: '1' })).rejects.toMatchObject({
      code: 'conflict',
      details,
    })
    expect(await execute(project.as('ann'), takeTask, {})).toEqual({ claimed: null })
  })

  it('a blocked task cannot be claimed, and the answer names what blocks it', async () => {
    await using project = await projectWith({ title: 'A', relations: [] }, { title: 'B' })
    await execute(project.context, updateEntity, { id: '1', relations: ['blocks:2'] })
    await expect(execute(project.as('ann'), claimTask, { id: '2' })).rejects.toMatchObject({
      details: { reason: 'blocked', blockers: [{ number: 1, title: 'A' }] },
    })
  })

  it('somebody without a name is asked for one', async () => {
    await using project = await projectWith({})
    const nobody = project.as('', { agent: { name: null, surface: 'api' } })
    await expect(execute(nobody, claimTask, { id: '1' })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { field: 'agent_id' },
    })
  })
})

describe('next and claim in one step', () => {
  it('agents that ask at the same time get different tasks, the most urgent ones', async () => {
    await using project = await projectWith(
      { title: 'low', properties: { priority: 'low' } },
      { title: 'high', properties: { priority: 'high' } },
      { title: 'normal' },
    )
    const names = ['ann', 'bob', 'cam', 'dan']
    const taken = await Promise.all(names.map((name) => execute(project.as(name), takeTask, {})))
    const titles = taken.map(({ claimed }) => claimed?.task.title ?? 'nothing')
    expect(new Set(titles)).toEqual(new Set(['high', 'normal', 'low', 'nothing']))
  })

  it('takes only what matches the filter', async () => {
    await using project = await projectWith({ tags: ['web'] }, { tags: ['api'] })
    expect(await execute(project.as('ann'), takeTask, { labels: ['api'] })).toMatchObject({
      claimed: { task: { number: 2 } },
    })
    expect(await execute(project.as('bob'), takeTask, { labels: ['api'] })).toEqual({
      claimed: null,
    })
  })
})

describe('a lease that runs out', () => {
  it('can be taken over, and not a moment earlier', async () => {
    await using project = await projectWith({})
    await execute(project.as('ann'), claimTask, { id: '1' })
    project.tick(15 * MINUTE - 1)
    await expect(execute(project.as('bob'), claimTask, { id: '1' })).rejects.toMatchObject({
      details: { reason: 'held' },
    })
    project.tick(1)
    expect(await execute(project.as('bob'), claimTask, { id: '1' })).toMatchObject({
      lease: { agent_id: agentIdOf('bob'), fence: 2 },
    })
    expect(await eventTypes(project)).toContain('lease.expired')
  })

  it('is not brought back by a clock that was set back', async () => {
    await using project = await projectWith({}, {})
    await execute(project.as('ann'), claimTask, { id: '1' })
    project.tick(15 * MINUTE)
    await execute(project.as('bob'), claimTask, { id: '2' })
    project.tick(-10 * MINUTE)
    await expect(execute(project.as('ann'), renewTask, { id: '1' })).rejects.toMatchObject({
      code: 'lease_lost',
    })
    expect(await execute(project.context, nextTask, {})).toMatchObject({ task: { number: 1 } })
  })

  it('comes to its end even after somebody’s clock was a year ahead', async () => {
    await using project = await projectWith({}, {})
    const ahead = project.as('ahead', { now: () => START + 365 * 24 * 60 * MINUTE })
    await execute(ahead, claimTask, { id: '2' })
    await execute(project.as('ann'), claimTask, { id: '1' })
    await expect(execute(project.as('bob'), claimTask, { id: '1' })).rejects.toMatchObject({
      code: 'conflict',
    })
    project.tick(15 * MINUTE)
    expect(await execute(project.as('bob'), claimTask, { id: '1' })).toMatchObject({
      lease: { fence: 2 },
    })
  })

  it('puts the task back to todo when its claim had started it, and leaves another status alone', async () => {
    await using project = await projectWith({}, { properties: { status: 'in_progress' } })
    await execute(project.as('ann'), claimTask, { id: '1' })
    await execute(project.as('ann'), claimTask, { id: '2' })
    project.tick(20 * MINUTE)
    await execute(project.as('bob'), takeTask, { labels: ['none'] })
    const { tasks } = await execute(project.context, readyTasks, {})
    expect(tasks.map(({ status }) => status)).toEqual(['todo', 'in_progress'])
  })

  it('does not lose finished work: the late holder claims the free task again and completes it', async () => {
    await using project = await projectWith({})
    const ann = project.as('ann')
    const late = (await execute(ann, claimTask, { id: '1' })).lease
    project.tick(16 * MINUTE)
    await execute(project.as('bob'), takeTask, { labels: ['none'] })
    await expect(execute(ann, completeTask, { id: '1', fence: late.fence })).rejects.toMatchObject({
      code: 'lease_lost',
      message: expect.stringContaining('claim it again'),
    })
    const { fence } = (await execute(ann, claimTask, { id: '1' })).lease
    expect(fence).toBeGreaterThan(late.fence)
    expect(await execute(ann, completeTask, { id: '1', fence })).toMatchObject({
      task: { status: 'done' },
      was_held: true,
    })
  })
})

describe('giving back', () => {
  it('frees the task at once, and only for its holder', async () => {
    await using project = await projectWith({})
    await execute(project.as('ann'), claimTask, { id: '1' })
    await expect(execute(project.as('bob'), releaseTask, { id: '1' })).rejects.toMatchObject({
      code: 'lease_lost',
    })
    expect(
      await execute(project.as('ann'), releaseTask, { id: '1', reason: 'lunch' }),
    ).toMatchObject({
      task: { status: 'todo' },
      released: { agent_id: agentIdOf('ann'), fence: 1 },
    })
    await expect(execute(project.as('ann'), releaseTask, { id: '1' })).rejects.toMatchObject({
      code: 'lease_lost',
    })
    expect(await execute(project.as('bob'), claimTask, { id: '1' })).toMatchObject({
      lease: { fence: 2 },
    })
  })

  it('whoever takes it next sees who gave it up, when and why, until it is closed', async () => {
    await using project = await projectWith({})
    await execute(project.as('ann'), claimTask, { id: '1' })
    project.tick(MINUTE)
    await execute(project.as('ann'), releaseTask, { id: '1', reason: 'needs the new parser' })
    const last_release = {
      agent_id: agentIdOf('ann'),
      at: '2026-11-15T12:01:00.000Z',
      reason: 'needs the new parser',
    }
    expect(await execute(project.context, nextTask, {})).toMatchObject({ task: { last_release } })
    expect(await execute(project.as('bob'), takeTask, {})).toMatchObject({
      claimed: { task: { last_release } },
    })
    // It is still of use to whoever comes after somebody that was lost.
    project.tick(20 * MINUTE)
    expect(await execute(project.as('cid'), claimTask, { id: '1' })).toMatchObject({
      task: { last_release },
    })
    await execute(project.as('cid'), completeTask, { id: '1' })
    await execute(project.as('cid'), reopenTask, { id: '1' })
    expect(await execute(project.context, getTask, { id: '1' })).not.toHaveProperty('last_release')
  })

  it('a later word takes the place of an earlier one, and none is no word', async () => {
    await using project = await projectWith({})
    const ann = project.as('ann')
    await execute(ann, claimTask, { id: '1' })
    await execute(ann, releaseTask, { id: '1', reason: 'lunch' })
    await execute(ann, claimTask, { id: '1' })
    await execute(ann, releaseTask, { id: '1' })
    const { last_release } = await execute(project.context, getTask, { id: '1' })
    expect(last_release).toEqual({
      agent_id: agentIdOf('ann'),
      agent_name: 'ann',
      at: '2026-11-15T12:00:00.000Z',
    })
    await execute(ann, claimTask, { id: '1' })
    await execute(ann, leaveAgent, { reason: 'out of tokens' })
    expect(await execute(project.context, getTask, { id: '1' })).toMatchObject({
      last_release: { reason: 'out of tokens' },
    })
  })

  it.each<Operation>([completeTask, cancelTask])(
    'closing ends the lease too',
    async (operation) => {
      await using project = await projectWith({})
      await execute(project.as('ann'), claimTask, { id: '1' })
      expect(await execute(project.as('ann'), operation, { id: '1' })).toMatchObject({
        changed: true,
        was_held: true,
      })
      await execute(project.context, reopenTask, { id: '1' })
      // Reopening ends the fence of the first lease.
      expect(await execute(project.as('bob'), claimTask, { id: '1' })).toMatchObject({
        lease: { fence: 3 },
      })
    },
  )

  it('a general edit that closes the task, or deletes it, ends the lease too', async () => {
    await using project = await projectWith({}, {})
    await execute(project.as('ann'), claimTask, { id: '1' })
    await execute(project.as('ann'), claimTask, { id: '2' })
    await execute(project.as('ann'), updateEntity, { id: '1', properties: { status: 'done' } })
    await execute(project.as('ann'), deleteEntity, { id: '2' })
    expect(await project.context.store.leases.held(START)).toEqual([])
    expect(await eventTypes(project)).toContain('task.done')
  })
})

describe('files', () => {
  it('a claim warns of files that another agent has reserved', async () => {
    await using project = await projectWith(
      { title: 'A', properties: { locks: ['src/api/**'] } },
      { title: 'B', properties: { locks: ['src/api/users.ts', 'docs'] } },
      { title: 'C', properties: { locks: ['src/web'] } },
    )
    await execute(project.as('ann'), claimTask, { id: '1' })
    expect(await execute(project.as('bob'), claimTask, { id: '2' })).toMatchObject({
      overlaps: [
        { agent_id: agentIdOf('ann'), task: { number: 1, title: 'A' }, pattern: 'src/api/**' },
      ],
    })
    expect(await execute(project.as('cam'), claimTask, { id: '3' })).toMatchObject({ overlaps: [] })
  })

  it('before an edit one can ask whether the file is someone else’s', async () => {
    await using project = await projectWith({ properties: { locks: ['src/api/**'] } })
    const ask = (name: string, path: string) => execute(project.as(name), checkEdit, { path })
    expect(await ask('bob', 'src/api/users.ts')).toMatchObject({ free: true })
    await execute(project.as('ann'), claimTask, { id: '1' })
    expect(await ask('bob', 'src/api/users.ts')).toMatchObject({
      free: false,
      reserved_by: [{ agent_id: agentIdOf('ann'), pattern: 'src/api/**' }],
    })
    expect(await ask('bob', './src/web/index.ts')).toMatchObject({ free: true })
    expect(await ask('ann', 'src/api/users.ts')).toMatchObject({ free: true })
    project.tick(16 * MINUTE)
    expect(await ask('bob', 'src/api/users.ts')).toMatchObject({ free: true })
  })
})

it('a task that was put off is ready again when that is taken back', async () => {
  await using project = await projectWith({ title: 'A' })
  await execute(project.context, deferTask, { id: '1', until: '2026-12-01' })
  expect(await execute(project.context, nextTask, {})).toEqual({ task: null })
  expect(await execute(project.context, blockedTasks, {})).toMatchObject({ total: 0 })
  await execute(project.context, deferTask, { id: '1', until: null })
  expect(await execute(project.context, nextTask, {})).toMatchObject({ task: { title: 'A' } })
})
