import { expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createTasks } from '../../src/task/operations.ts'
import { connect, type DialectClient } from './client.ts'
import { join } from './lodestar/crew.ts'

/** `#1` has the open part `#2`, and `#3` has the status blocked. */
async function connectWithEpic(dialect: string): Promise<DialectClient> {
  const client = await connect(dialect, { server: { toolNames: 'dotted' } })
  await execute(client.project.context, createTasks, {
    tasks: [
      { title: 'Epic', key: 'epic' },
      { title: 'Part', key: 'part', parent: 'epic' },
      { title: 'Needs a key', key: 'stuck', status: 'blocked' },
    ],
  })
  return client
}

it('task_next offers and claims only the part, and completing it says that the epic can be closed', async () => {
  await using client = await connectWithEpic('waymark')
  expect(await client.call('task_next')).toMatchObject({ tasks: [{ number: 2 }], total: 1 })
  expect(await client.refusal('task_next', { id: 1, claim: true })).toMatchObject({
    error: { details: { reason: 'open_parts' } },
  })
  expect(await client.call('task_get', { blocked: true })).toMatchObject({ tasks: [{ number: 3 }] })
  await client.call('task_next', { claim: true })
  const { content } = await client.result('task_update', { ids: ['2'], action: 'complete' })
  expect(content[0]?.text).toContain('ready to close: #1 Epic (todo)')
  await client.call('task_next', { claim: true })
  await client.call('task_update', { ids: ['1'], action: 'release', reason: 'the owner closes it' })
  expect(await client.call('task_next', { claim: true })).toMatchObject({ total: 0 })
})

it('lodestar.task.next has only the part, and a claim of the others names TASK_NOT_CLAIMABLE', async () => {
  await using lodestar = await connectWithEpic('lodestar')
  const agentId = await join(lodestar, 'ann')
  expect(await lodestar.call('lodestar.task.next', { agentId })).toMatchObject({
    candidates: [{ id: 'part' }],
  })
  for (const taskId of ['epic', 'stuck']) {
    expect(await lodestar.refusal('lodestar.task.claim', { taskId, agentId })).toMatchObject({
      error_code: 'TASK_NOT_CLAIMABLE',
    })
  }
  await lodestar.call('lodestar.task.claim', { taskId: 'part', agentId })
  await lodestar.call('lodestar.task.release', { taskId: 'part', agentId, reason: 'too hard' })
  expect(await lodestar.call('lodestar.task.next', { agentId })).toMatchObject({ candidates: [] })
  const other = await join(lodestar, 'bob')
  expect(await lodestar.call('lodestar.task.next', { agentId: other })).toMatchObject({
    candidates: [{ id: 'part' }],
  })
})

it('medulla keeps the rule of its specification: all that is not done and that nothing blocks', async () => {
  await using medulla = await connectWithEpic('medulla')
  expect(await medulla.call('task_ready')).toMatchObject({
    tasks: [{ title: 'Epic' }, { title: 'Part' }, { title: 'Needs a key' }],
    total: 3,
  })
  expect(await medulla.call('task_next')).toMatchObject({ title: 'Epic' })
  expect(await medulla.call('task_blocked')).toMatchObject({ blocked_tasks: [], total: 0 })
})
