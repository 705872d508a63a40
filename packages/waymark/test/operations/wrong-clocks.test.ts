import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { listAgents } from '../../src/agent/operations.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { claimTask, renewTask } from '../../src/task/lease/operations.ts'
import { readyTasks } from '../../src/task/queue/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { type Setup, setup } from '../setup.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

async function projectWithLease(): Promise<Setup> {
  const project = await setup()
  await execute(project.context, createTask, { title: 'T' })
  await execute(project.as('ann'), claimTask, { id: '1', seconds: 7200 })
  return project
}

const note = (title: string) => ({ type: 'note', title, idempotency_key: title })

describe.each([
  ['2 days ahead', 2 * DAY],
  ['10 minutes ahead', 10 * MINUTE],
  ['1000 years ahead', 365_250 * DAY],
  ['2 days back', -2 * DAY],
  ['1000 years back', -365_250 * DAY],
])('after the clock of the machine was set %s', (_, by) => {
  it('a lease keeps its length, for readers and for writers', async () => {
    await using project = await projectWithLease()
    project.setClock(by)
    expect(await execute(project.as('bob'), readyTasks, { include_held: true })).toMatchObject({
      tasks: [{ lease: {} }],
    })
    await execute(project.context, createEntity, { type: 'note', title: 'N' })
    project.tick(119 * MINUTE)
    await expect(execute(project.as('bob'), claimTask, { id: '1' })).rejects.toMatchObject({
      details: { reason: 'held' },
    })
    project.tick(2 * MINUTE)
    expect(await execute(project.as('bob'), claimTask, { id: '1' })).toMatchObject({
      lease: { fence: 2 },
    })
  })

  it('a call that is repeated has its effect once', async () => {
    await using project = await setup()
    const first = await execute(project.context, createEntity, note('N'))
    project.setClock(by)
    await execute(project.context, createEntity, note('another'))
    expect(await execute(project.context, createEntity, note('N'))).toEqual(first)
  })

  it('agents that were active still are', async () => {
    await using project = await projectWithLease()
    project.setClock(by)
    await execute(project.context, createEntity, { type: 'note', title: 'N' })
    const { agents } = await execute(project.context, listAgents, {})
    expect(agents.map(({ name, presence }) => `${name} ${presence}`)).toContain('ann active')
  })

  it('the next write of an agent that renews in time succeeds', async () => {
    await using project = await projectWithLease()
    project.setClock(by)
    project.tick(60 * MINUTE)
    expect(await execute(project.as('ann'), renewTask, { id: '1' })).toMatchObject({
      lease: { fence: 1 },
    })
  })
})

describe('after the machine was started with a clock that is days ahead', () => {
  it('a call that is repeated within an hour has its effect once', async () => {
    await using project = await setup()
    const first = await execute(project.context, createEntity, note('N'))
    const start = project.context.now()
    const restarted = project.as('tester', {
      now: () => project.context.now() + 2 * DAY,
      uptime: () => ({ boot: 2, ms: project.context.now() - start }),
    })
    project.tick(MINUTE)
    await execute(restarted, createEntity, note('another'))
    project.tick(59 * MINUTE)
    expect(await execute(restarted, createEntity, note('N'))).toEqual(first)
    project.tick(2 * MINUTE)
    expect(await execute(restarted, createEntity, note('N'))).not.toEqual(first)
  })
})
