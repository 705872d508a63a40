import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { agentIdOf, toAgentId } from '../../src/agent/agent.ts'
import { execute } from '../../src/core/execute.ts'
import type { Operation } from '../../src/core/operation.ts'
import { allOperations } from '../../src/registry.ts'
import { sendMessage } from '../../src/message/operations.ts'
import { EDIT_ACTIONS, editTasks } from '../../src/task/state/bulk.ts'
import { claimTask, releaseTask, renewTask, takeTask } from '../../src/task/lease/operations.ts'
import { reorderTask } from '../../src/task/order/operations.ts'
import { readyTasks } from '../../src/task/queue/operations.ts'
import {
  cancelTask,
  completeTask,
  deferTask,
  reopenTask,
  rescheduleTask,
  verifyTask,
} from '../../src/task/state/operations.ts'
import { createTask, removeTask, updateTask } from '../../src/task/operations.ts'
import { type Setup, setup } from '../setup.ts'

const MINUTE = 60_000

async function projectWithTask(): Promise<Setup> {
  const project = await setup()
  await execute(project.context, createTask, { title: 'T' })
  return project
}

function pickFields(known: object, { input }: Operation): object {
  return Object.fromEntries(Object.entries(known).filter(([name]) => name in input.shape))
}

it('a lost lease is noticed by its late holder, whose writes with the old fence are all refused [lease-guards-lost-noticed]', async () => {
  await using project = await projectWithTask()
  const ann = project.as('ann')
  const { fence } = (await execute(ann, claimTask, { id: '1' })).lease
  project.tick(16 * MINUTE)
  await execute(project.as('bob'), claimTask, { id: '1' })
  const writes: readonly (readonly [Operation, object?])[] = [
    [renewTask],
    [releaseTask],
    [completeTask],
    [cancelTask],
    [reopenTask],
    [verifyTask],
    [updateTask, { title: 'late' }],
    [rescheduleTask, { due_date: '2026-12-01' }],
    [deferTask, { until: '2026-12-01' }],
    [reorderTask, { before: '1' }],
    [removeTask],
    [sendMessage, { task: '1', body: 'late' }],
  ]
  const edits = EDIT_ACTIONS.map((action) => ({ edits: [{ id: '1', action, fence }] }))
  const calls = [
    ...writes.map(
      ([write, input]) => [write, pickFields({ id: '1', fence, ...input }, write)] as const,
    ),
    ...edits.map((input) => [editTasks, input] as const),
  ]
  for (const [write, input] of calls) {
    await expect(execute(ann, write, input), write.name).rejects.toMatchObject({
      code: 'lease_lost',
      details: { fence: 2 },
    })
  }
  await expect(execute(ann, completeTask, { id: '1' })).rejects.toMatchObject({
    code: 'conflict',
    details: { reason: 'held', claimed_by: agentIdOf('bob') },
  })
  expect(await execute(project.context, readyTasks, { include_held: true })).toMatchObject({
    tasks: [{ status: 'in_progress', lease: { agent_id: agentIdOf('bob') } }],
  })
})

it('an agent that was never seen cannot be named, and one that proved who it is cannot name another [lease-guards-agent-never]', async () => {
  await using project = await projectWithTask()
  await expect(
    execute(project.as('ann'), claimTask, { id: '1', agent_id: 'A99' }),
  ).rejects.toMatchObject({ code: 'not_found', details: { kind: 'agent' } })
  await execute(project.as('bob'), takeTask, {})
  const proved = project.as('', {
    agent: { name: 'ann', surface: 'http', id: toAgentId('A1'), owner: 'AOWNER' },
  })
  const known = {
    id: '1',
    task: '1',
    body: 'text',
    text: 'text',
    path: 'a.ts',
    ids: [1],
    due_date: null,
    until: null,
    before: '1',
  }
  const named = (await allOperations()).filter(({ input }) => 'agent_id' in input.shape)
  expect(named.length).toBeGreaterThan(15)
  for (const operation of named) {
    const inputs =
      operation === editTasks
        ? EDIT_ACTIONS.map((action) => ({ edits: [{ id: '1', action }] }))
        : [pickFields(known, operation)]
    for (const input of inputs) {
      await expect(
        execute(proved, operation, { ...input, agent_id: agentIdOf('bob') }),
        `${operation.name} ${JSON.stringify(input)}`,
      ).rejects.toMatchObject({ code: 'forbidden' })
    }
  }
})

it('only merging and repairs write past the guard', () => {
  const folder = new URL('../../src/', import.meta.url)
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const sources = names.filter((name) => name.endsWith('.ts'))
  const users = sources.filter((name) =>
    readFileSync(new URL(name, folder), 'utf8').includes('unguardedReplica'),
  )
  expect(users.toSorted()).toEqual([
    'core/change.ts',
    'integrity/repair.ts',
    'sync/merge/merge.ts',
    'sync/merge/purge-requests.ts',
  ])
})
