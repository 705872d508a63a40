import { describe, expect, it } from 'vitest'
import type { Agent, Context } from '../../../src/core/context.ts'
import { execute } from '../../../src/core/execute.ts'
import { cancelTask, completeTask } from '../../../src/task/state/operations.ts'
import { releaseTask } from '../../../src/task/lease/operations.ts'
import { createTask, updateTask } from '../../../src/task/operations.ts'
import type { Operation } from '../../../src/core/operation.ts'
import { type Setup, setup } from '../../setup.ts'
import { connect, type DialectClient } from '../client.ts'
import { toAgentId } from '../../../src/agent/agent.ts'

const KIM: Agent = { name: 'Kim Lee', surface: 'cli', assumed: true }

interface Held extends AsyncDisposable {
  readonly project: Setup
  readonly holder: DialectClient
  readonly kim: Context
}

async function heldTask(): Promise<Held> {
  const project = await setup()
  await execute(project.context, createTask, { title: 'Webhooks' })
  const holder = await connect('waymark', { project })
  await holder.call('task_next', { claim: true })
  const kim = project.as('', { agent: KIM })
  return {
    project,
    holder,
    kim,
    [Symbol.asyncDispose]: async () => {
      await holder[Symbol.asyncDispose]()
      await project[Symbol.asyncDispose]()
    },
  }
}

async function textOf(client: DialectClient, name: string, args: object): Promise<string> {
  return (await client.result(name, { ...args })).content[0]?.text ?? ''
}

const TOLD =
  'lease_lost: the owner (Kim Lee) ended your lease on #1 (fence 1): not needed; stop working on it'

describe('a holder whose lease the person ended', () => {
  const FORCED: readonly (readonly [string, Operation, object])[] = [
    ['cancelled', cancelTask, { reason: 'not needed' }],
    ['completed', completeTask, { reason: 'not needed' }],
    ['released', releaseTask, { reason: 'not needed' }],
    ['reassigned', updateTask, { reason: 'not needed', assignee: 'bo' }],
    ['edited', updateTask, { reason: 'not needed', title: 'Webhooks v2' }],
  ]

  it.each(FORCED)(
    'is told who and why when the task was %s [holder-is-told]',
    async (_, operation, input) => {
      await using world = await heldTask()
      const { holder, kim } = world
      await execute(kim, operation, { id: '1', force: true, ...input })
      const { content, structuredContent } = await holder.result('recall', { query: 'anything' })
      expect(content[0]?.text.split('\n')[0]).toBe(TOLD)
      expect(structuredContent).toMatchObject({
        lease_lost: [{ task: 1, fence: 1, by: 'Kim Lee', reason: 'not needed' }],
      })
      expect(await textOf(holder, 'recall', { query: 'anything' })).not.toContain('lease_lost')
    },
  )

  it.each([
    ['brief', {}],
    ['recall', { query: 'x' }],
    ['remember', { type: 'note', title: 'x' }],
    ['task_next', {}],
    ['task_get', { ids: ['1'] }],
    ['inbox', {}],
    ['events', {}],
    ['message_send', { body: 'hello' }],
  ])('is told in the answer of %s', async (tool, args) => {
    await using world = await heldTask()
    await execute(world.kim, cancelTask, { id: '1', force: true, reason: 'not needed' })
    expect(await textOf(world.holder, tool, args)).toContain(TOLD)
  })

  it('is told beside an error too, and again in the next answer', async () => {
    await using world = await heldTask()
    const { holder, kim } = world
    await execute(kim, cancelTask, { id: '1', force: true, reason: 'not needed' })
    const failed = await holder.result('recall', { id: '99' })
    expect(failed.isError).toBe(true)
    expect(failed.content[0]?.text).toContain(TOLD)
    expect(await textOf(holder, 'brief', {})).toContain(TOLD)
  })

  it('is told once by the refusal of its own write, with the reason', async () => {
    await using world = await heldTask()
    const { holder, kim } = world
    await execute(kim, cancelTask, { id: '1', force: true, reason: 'not needed' })
    const text = await textOf(holder, 'task_update', { ids: ['1'], action: 'complete', fence: 1 })
    expect(text).toContain(
      'lease_lost: you no longer hold task 1: Kim Lee ended the lease: not needed',
    )
    expect(text.split('ended')).toHaveLength(2)
  })

  it('other agents are told nothing', async () => {
    await using world = await heldTask()
    const { project, kim } = world
    await using other = await connect('waymark', {
      project,
      server: { connectionId: toAgentId('A0000002') },
    })
    await execute(kim, cancelTask, { id: '1', force: true, reason: 'not needed' })
    expect(await textOf(other, 'brief', {})).not.toContain('lease_lost')
  })

  it('leaves the answers of the other dialects as their specifications have them', async () => {
    await using world = await heldTask()
    const { project, kim } = world
    await using lodestar = await connect('lodestar', { project })
    await execute(kim, cancelTask, { id: '1', force: true, reason: 'not needed' })
    expect(await textOf(lodestar, 'lodestar.task.list', {})).not.toContain('lease_lost')
    expect(await textOf(world.holder, 'brief', {})).toContain(TOLD)
  })
})

it('a task that a person edited or reassigned by force is open again, not in progress without a holder', async () => {
  await using world = await heldTask()
  const { project, kim } = world
  await execute(kim, updateTask, { id: '1', assignee: 'bo', force: true })
  const { task } = await execute(kim, updateTask, { id: '1', priority: 'high' })
  expect(task).toMatchObject({ status: 'todo', assignee: 'bo' })
  expect(await project.context.store.leases.countHeld(project.context.now())).toBe(0)
})
