import { describe, expect, it } from 'vitest'
import { agentIdOf } from '../../src/agent/agent.ts'
import { execute } from '../../src/core/execute.ts'
import { joinAgent } from '../../src/agent/operations.ts'
import { projectStatus } from '../../src/project/operations.ts'
import { createRelation } from '../../src/relation/operations.ts'
import { readyTasks } from '../../src/task/queue/operations.ts'
import {
  cancelTask,
  completeTask,
  reopenTask,
  verifyTask,
} from '../../src/task/state/operations.ts'
import { createTask, getTask } from '../../src/task/operations.ts'
import { type Setup, setup } from '../setup.ts'

async function projectWith(...tasks: readonly (string | object)[]): Promise<Setup> {
  const project = await setup()
  for (const task of tasks) {
    await execute(project.context, createTask, typeof task === 'string' ? { title: task } : task)
  }
  return project
}

describe('verifying', () => {
  it('frees what waits for it, and only what is done can be verified', async () => {
    await using project = await projectWith(
      { title: 'A', needs_verification: true },
      { title: 'B', depends_on: ['1'] },
    )
    const { context } = project
    await expect(execute(context, verifyTask, { id: '1' })).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'not_done' },
    })
    expect(await execute(context, completeTask, { id: '1' })).toMatchObject({ newly_ready: [] })
    expect(await execute(context, projectStatus, {})).toMatchObject({
      unverified: 1,
      ready: 0,
      suggestions: [
        'verify 1 task that is done',
        'look into 1 blocked task: nothing else is ready',
      ],
    })
    await execute(project.as('ann'), joinAgent, {})
    expect(
      await execute(context, verifyTask, { id: '1', agent_id: agentIdOf('ann') }),
    ).toMatchObject({
      changed: true,
      task: { verified: true, verified_by: agentIdOf('ann') },
      newly_ready: [{ title: 'B' }],
    })
    expect(await execute(context, verifyTask, { id: '1' })).toMatchObject({ changed: false })
    await execute(context, reopenTask, { id: '1' })
    const reopened = await execute(context, getTask, { id: '1' })
    expect(reopened).toMatchObject({ status: 'todo', verified: false })
    expect(await execute(context, readyTasks, {})).toMatchObject({ tasks: [{ title: 'A' }] })
  })
})

describe('closing', () => {
  it('a task with open parts or blockers is not closed by accident', async () => {
    await using project = await projectWith('whole', { title: 'part', parent: '1' }, 'blocker')
    const { context } = project
    await expect(execute(context, completeTask, { id: '1' })).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'open_parts', subtasks: [{ title: 'part' }] },
    })
    await execute(context, createRelation, { source: '3', type: 'blocks', target: '2' })
    await expect(execute(context, completeTask, { id: '2' })).rejects.toMatchObject({
      details: { reason: 'blocked', blockers: [{ title: 'blocker' }] },
    })
    expect(await execute(context, completeTask, { id: '1', force: true })).toMatchObject({
      task: { status: 'done' },
      suggested_next: { title: 'blocker' },
    })
  })

  it('one of two that say the same is cancelled, and says which one stays', async () => {
    await using project = await setup()
    await execute(project.context, createTask, { title: 'A' })
    await execute(project.context, createTask, { title: 'A again' })
    const cancelled = await execute(project.as('ann'), cancelTask, { id: '2', duplicates: '1' })
    expect(cancelled).toMatchObject({
      task: { status: 'cancelled', duplicates: [{ number: 1 }] },
      suggested_next: { number: 1 },
    })
    expect(await execute(project.context, getTask, { id: '1' })).toMatchObject({
      duplicated_by: [{ number: 2, status: 'cancelled' }],
    })
  })

  it('cancelling frees what waits, and what is done cannot be cancelled', async () => {
    await using project = await projectWith('A', { title: 'B', depends_on: ['1'] })
    const { context } = project
    expect(await execute(context, cancelTask, { id: '1', reason: 'no need' })).toMatchObject({
      task: { status: 'cancelled', close_reason: 'no need' },
      newly_ready: [{ title: 'B' }],
      suggested_next: { title: 'B' },
    })
    expect(await execute(context, cancelTask, { id: '1' })).toMatchObject({ changed: false })
    await expect(execute(context, completeTask, { id: '1' })).rejects.toMatchObject({
      details: { reason: 'closed' },
    })
    await execute(context, completeTask, { id: '2' })
    await expect(execute(context, cancelTask, { id: '2' })).rejects.toMatchObject({
      details: { reason: 'closed' },
    })
  })
})
