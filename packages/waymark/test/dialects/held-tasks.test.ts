import { expect, it } from 'vitest'
import { agentIdOf } from '../../src/domain/agent.ts'
import { execute } from '../../src/execute.ts'
import { claimTask, renewTask } from '../../src/operations/task-leases.ts'
import { createTask, getTask } from '../../src/operations/tasks.ts'
import { connect, type DialectClient, type Fields } from './client.ts'

/** A client of a dialect, in a project whose first task ann holds. */
async function connectBesideHolder(dialect: string): Promise<DialectClient> {
  const client = await connect(dialect, { server: { toolNames: 'dotted' } })
  for (const title of ['Held', 'Free']) await execute(client.project.context, createTask, { title })
  await execute(client.project.as('ann'), claimTask, { id: '1' })
  return client
}

async function expectUntouched({ project }: DialectClient): Promise<void> {
  await execute(project.as('ann'), renewTask, { id: '1', fence: 1 })
  expect(await execute(project.context, getTask, { id: '1' })).toMatchObject({ title: 'Held' })
}

it('tasky answers with a task_error, and nothing of the call is done', async () => {
  await using tasky = await connectBesideHolder('tasky')
  const { tasks } = (await tasky.call('search_tasks')) as { tasks: { task_id: string }[] }
  const [held, free] = tasks.map(({ task_id }) => task_id)
  const edits: readonly Fields[] = [
    { action: 'update', name: 'late' },
    { action: 'complete' },
    { action: 'cancel' },
    { action: 'reopen' },
    { action: 'delete' },
  ]
  for (const edit of edits) {
    const operations = [
      { task_id: free, action: 'delete' },
      { task_id: held, ...edit },
    ]
    expect(await tasky.refusal('edit_tasks', { operations })).toMatchObject({
      error: {
        code: 'task_error',
        index: 1,
        message: expect.stringContaining('task 1 is held by ann'),
      },
    })
  }
  expect(await tasky.call('search_tasks')).toMatchObject({ total_count: 2 })
  await expectUntouched(tasky)
})

it('medulla answers with ValidationFailed for the id, and in a batch for the step alone', async () => {
  await using medulla = await connectBesideHolder('medulla')
  const calls: readonly (readonly [string, Fields])[] = [
    ['entity_update', { id: '1', properties: { status: 'done' } }],
    ['entity_delete', { id: '1' }],
    ['task_complete', { id: '1' }],
    ['task_reschedule', { id: '1', due_date: '2026-12-01' }],
  ]
  for (const [name, args] of calls) {
    const { error } = await medulla.request('tools/call', { name, arguments: args })
    expect(error, name).toMatchObject({
      code: -32003,
      data: { error_type: 'ValidationFailed', field: 'id', reason: 'held' },
    })
  }
  const operations = [
    { op: 'delete', id: '1' },
    { op: 'update', id: '2', title: 'changed' },
  ]
  expect(await medulla.call('entity_batch', { operations })).toMatchObject({
    results: [
      { success: false, error: { code: 'VALIDATION_FAILED', reason: 'held' } },
      { success: true },
    ],
  })
  await expectUntouched(medulla)
})

it('lodestar answers with TASK_ALREADY_CLAIMED, and to a claim with who has it', async () => {
  await using lodestar = await connectBesideHolder('lodestar')
  const { agentId } = await lodestar.call('lodestar.agent.join', { name: 'bob' })
  const call = { taskId: '1', agentId }
  for (const tool of ['lodestar.task.done', 'lodestar.task.verify']) {
    expect(await lodestar.refusal(tool, call), tool).toMatchObject({
      error_code: 'TASK_ALREADY_CLAIMED',
      details: { claimed_by: agentIdOf('ann') },
    })
  }
  expect(await lodestar.refusal('lodestar.task.release', call)).toMatchObject({
    error_code: 'LEASE_MISMATCH',
  })
  expect(await lodestar.call('lodestar.task.claim', { ...call, force: true })).toMatchObject({
    ok: false,
    conflict: { claimedByAgentId: agentIdOf('ann') },
  })
  await expectUntouched(lodestar)
})

it('waymark answers with a conflict that names the holder, also to remember', async () => {
  await using waymark = await connectBesideHolder('waymark')
  const calls: readonly (readonly [string, Fields])[] = [
    ['remember', { id: '1', properties: { status: 'done' } }],
    ['task_update', { ids: ['1'], title: 'late' }],
    ['task_update', { ids: ['1'], action: 'reopen' }],
    ['task_update', { ids: ['1'], action: 'cancel', force: true }],
    ['task_update', { ids: ['2', '1'], status: 'done', force: true }],
  ]
  for (const [name, args] of calls) {
    expect(await waymark.refusal(name, args), JSON.stringify(args)).toMatchObject({
      error: { code: 'conflict', details: { reason: 'held', claimed_by: agentIdOf('ann') } },
    })
  }
  await expectUntouched(waymark)
})
