import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { agentIdOf, toAgentId } from '../../src/agent/agent.ts'
import type { Agent } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { joinAgent } from '../../src/agent/operations.ts'
import { createEntity, listEntities, updateEntity } from '../../src/entity/operations.ts'
import { createTasks, removeTask } from '../../src/task/operations.ts'
import { sendMessage } from '../../src/message/operations.ts'
import { claimTask, releaseTask, renewTask, takeTask } from '../../src/task/lease/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { thisProcess, toProcessName } from '../../src/support/process-identity.ts'
import { type Setup, setup } from '../setup.ts'
import { BEFORE_ALL } from '../../src/event/event-id.ts'

const HOUR = 3_600_000
const note = { type: 'note', title: 'N' }

describe('a call with an idempotency key', () => {
  it('repeated, has its effect once and gets the same answer', async () => {
    await using project = await setup()
    const call = { ...note, idempotency_key: 'k1' }
    const first = await execute(project.context, createEntity, call)
    project.tick(1000)
    expect(await execute(project.context, createEntity, call)).toEqual(first)
    expect(await execute(project.context, listEntities, {})).toMatchObject({ total: 1 })
    expect(await project.context.store.events.latest()).toBe(1)
  })

  it('repeated at the same time, has its effect once', async () => {
    await using project = await setup()
    const call = { ...note, idempotency_key: 'k1' }
    const made = await Promise.all(
      [1, 2, 3].map(() => execute(project.context, createEntity, call)),
    )
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
  })

  it('gets a lost claim back instead of a second task', async () => {
    await using project = await setup()
    await execute(project.context, createEntity, { type: 'task', title: 'A' })
    await execute(project.context, createEntity, { type: 'task', title: 'B' })
    const call = { idempotency_key: 'take-1' }
    const first = await execute(project.as('ann'), takeTask, call)
    expect(await execute(project.as('ann'), takeTask, call)).toEqual(first)
  })

  it('is another call when another agent makes it', async () => {
    await using project = await setup()
    await execute(project.context, createEntity, { type: 'task', title: 'A' })
    await execute(project.context, createEntity, { type: 'task', title: 'B' })
    const call = { idempotency_key: 'take-1' }
    const first = await execute(project.as('ann'), takeTask, call)
    const second = await execute(project.as('ben'), takeTask, call)
    expect(second.claimed?.task.id).not.toBe(first.claimed?.task.id)
  })

  it('belongs to one of the agents of an owner, and not to all of them', async () => {
    await using project = await setup()
    const send = async (part: string) => {
      const agent = {
        name: part,
        surface: 'http',
        id: toAgentId(`AOWNER-${part}`),
        owner: 'AOWNER',
      } as const
      const call = { body: 'the same words', idempotency_key: 'say-1' }
      return (await execute(project.as('', { agent }), sendMessage, call)).message.id
    }
    expect([await send('a'), await send('b'), await send('a')]).toEqual([1, 2, 1])
  })

  it('belongs to the agent that it names, whoever carries it', async () => {
    await using project = await setup()
    await execute(project.context, createEntity, { type: 'task', title: 'A' })
    await execute(project.context, createEntity, { type: 'task', title: 'B' })
    const ann = await execute(project.as('ann'), joinAgent, { name: 'ann' })
    const ben = await execute(project.as('ben'), joinAgent, { name: 'ben' })
    const takeAs = async (carrier: string, agent_id: string) =>
      await execute(project.as(carrier), takeTask, { agent_id, idempotency_key: 'take-1' })
    const first = await takeAs('host', ann.agent.id)
    expect((await takeAs('host', ben.agent.id)).claimed?.task.id).not.toBe(first.claimed?.task.id)
    expect(await takeAs('restarted host', ann.agent.id)).toEqual(first)
  })

  it('of somebody else is not answered to whoever has proved to be another', async () => {
    await using project = await setup()
    await execute(project.context, createEntity, { type: 'task', title: 'A' })
    const ann = await execute(project.as('ann'), joinAgent, { name: 'ann' })
    const call = { agent_id: ann.agent.id, idempotency_key: 'take-1' }
    await execute(project.as('ann'), takeTask, call)
    const agent = {
      name: 'ben',
      surface: 'http',
      id: toAgentId('A0000001'),
      owner: 'AOWNER',
    } as const
    await expect(execute(project.as('ben', { agent }), takeTask, call)).rejects.toMatchObject({
      code: 'forbidden',
    })
    const words = { body: 'done', agent_id: ann.agent.id, idempotency_key: 'say-1' }
    await execute(project.as('ann'), sendMessage, words)
    await expect(execute(project.as('ben', { agent }), sendMessage, words)).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  it('with other input is a conflict and changes nothing', async () => {
    await using project = await setup()
    await execute(project.context, createEntity, { ...note, idempotency_key: 'k1' })
    await expect(
      execute(project.context, createEntity, { ...note, title: 'M', idempotency_key: 'k1' }),
    ).rejects.toMatchObject({ code: 'conflict', details: { reason: 'key_reused' } })
    expect(await execute(project.context, listEntities, {})).toMatchObject({ total: 1 })
  })

  it('is another call when it is another operation', async () => {
    await using project = await setup()
    await execute(project.context, createEntity, { ...note, idempotency_key: 'k1' })
    const changed = await execute(project.context, updateEntity, {
      id: '1',
      title: 'M',
      idempotency_key: 'k1',
    })
    expect(changed.title).toBe('M')
  })

  it('that failed can be tried again', async () => {
    await using project = await setup()
    const call = { id: '1', title: 'M', idempotency_key: 'k1' }
    await expect(execute(project.context, updateEntity, call)).rejects.toMatchObject({
      code: 'not_found',
    })
    await execute(project.context, createEntity, note)
    expect(await execute(project.context, updateEntity, call)).toMatchObject({ title: 'M' })
  })

  it('is forgotten after a day', async () => {
    await using project = await setup()
    const call = { ...note, idempotency_key: 'k1' }
    await execute(project.context, createEntity, call)
    project.tick(24 * HOUR)
    await execute(project.context, createEntity, call)
    expect(await execute(project.context, listEntities, {})).toMatchObject({ total: 1 })
    project.tick(1)
    await execute(project.context, createEntity, call)
    expect(await execute(project.context, listEntities, {})).toMatchObject({ total: 2 })
  })

  it('has its effect once also when something that it made was deleted for good meanwhile', async () => {
    await using project = await setup()
    const call = { tasks: [{ title: 'A' }, { title: 'B' }], idempotency_key: 'k1' }
    await execute(project.as('ann'), createTasks, call)
    await execute(project.as('ben'), removeTask, { id: '1' })
    const repeated = async (key: string) =>
      await execute(project.as('ann'), createTasks, { ...call, idempotency_key: key })
    await expect(repeated('k1')).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'answer_erased' },
    })
    expect(await execute(project.context, listEntities, {})).toMatchObject({ total: 1 })
    await repeated('k2')
    expect(await execute(project.context, listEntities, {})).toMatchObject({ total: 3 })
    project.tick(24 * HOUR + 1)
    await repeated('k1')
    expect(await execute(project.context, listEntities, {})).toMatchObject({ total: 5 })
  })

  it('may carry its key beside the input, as a header does', async () => {
    await using project = await setup()
    const context = project.as('ann', { idempotencyKey: 'k1' })
    const first = await execute(context, createEntity, note)
    expect(await execute(context, createEntity, note)).toEqual(first)
  })

  it.each(['', 'x'.repeat(201), 7])('%j is no key', async (key) => {
    await using project = await setup()
    await expect(
      execute(project.context, createEntity, { ...note, idempotency_key: key }),
    ).rejects.toMatchObject({ code: 'invalid_input', details: { field: 'idempotency_key' } })
  })
})

/** A process that has run and is gone. */
function endedProcess(): string {
  return toProcessName(spawnSync(process.execPath, ['--version']).pid, '1')
}

const RUNNING = thisProcess()
const MINUTE = 60_000

/** An agent as old as the server that it speaks to, which is started now. */
function served(project: Setup, id: string, process: string, name = 'ann') {
  const startedAt = project.context.now()
  const agent: Agent = {
    name,
    surface: 'mcp',
    id: toAgentId(id),
    process: { name: process, startedAt },
  }
  return project.as('', { agent })
}

async function projectWithTasks(): Promise<Setup> {
  const project = await setup()
  await execute(project.context, createEntity, { type: 'task', title: 'A' })
  await execute(project.context, createEntity, { type: 'task', title: 'B' })
  return project
}

describe('an agent whose server was started again', () => {
  const call = { idempotency_key: 'take-1' }

  it('gets the answer of its predecessor, and the task that the predecessor had claimed', async () => {
    await using project = await projectWithTasks()
    const first = await execute(served(project, 'A1', endedProcess()), takeTask, call)
    const successor = served(project, 'A2', RUNNING)
    const again = await execute(successor, takeTask, call)
    expect(again).toMatchObject({
      claimed: { task: { id: first.claimed?.task.id }, lease: { agent_id: 'A2', fence: 1 } },
    })
    expect(await execute(successor, takeTask, call)).toEqual(again)
    await execute(successor, completeTask, { id: '1', fence: 1 })
    const events = await project.context.store.events.after(BEFORE_ALL, { limit: 100 })
    expect(events.find(({ type }) => type === 'lease.moved')).toMatchObject({
      data: { from: 'A1', agent_id: 'A2', fence: 1 },
    })
  })

  it.each([
    ['while the first server runs', 'ann', RUNNING],
    ['when the first server runs on another machine', 'ann', 'elsewhere 1 1'],
    ['under another name', 'ben', endedProcess()],
  ])('is another agent %s', async (_title, name, process) => {
    await using project = await projectWithTasks()
    await execute(served(project, 'A1', process), takeTask, call)
    expect(await execute(served(project, 'A2', RUNNING, name), takeTask, call)).toMatchObject({
      claimed: { task: { number: 2 } },
    })
  })

  it('is another agent when both servers ran at once, though the first has ended since', async () => {
    await using project = await projectWithTasks()
    const other = served(project, 'A2', RUNNING)
    project.tick(1)
    await execute(served(project, 'A1', endedProcess()), takeTask, call)
    expect(await execute(other, takeTask, call)).toMatchObject({ claimed: { task: { number: 2 } } })
  })

  it('is another agent when it comes after a quarter of an hour, or with other input', async () => {
    await using project = await projectWithTasks()
    const note = { type: 'note', title: 'N', idempotency_key: 'k1' }
    await execute(served(project, 'A1', endedProcess()), createEntity, note)
    const successor = served(project, 'A2', RUNNING)
    await execute(successor, createEntity, { ...note, title: 'M' })
    project.tick(15 * MINUTE + 1)
    await execute(served(project, 'A3', RUNNING), createEntity, note)
    expect(await execute(project.context, listEntities, { type: 'note' })).toMatchObject({
      total: 3,
    })
  })

  it('is one of two at most: the answer goes to the first that asks', async () => {
    await using project = await projectWithTasks()
    await execute(served(project, 'A1', endedProcess()), takeTask, call)
    const [second, third] = [served(project, 'A2', RUNNING), served(project, 'A3', RUNNING)]
    expect(await execute(second, takeTask, call)).toMatchObject({
      claimed: { task: { number: 1 } },
    })
    expect(await execute(third, takeTask, call)).toMatchObject({ claimed: { task: { number: 2 } } })
  })
})

describe('a claim that is answered from memory', () => {
  const lost = { code: 'lease_lost', details: { field: 'idempotency_key' } }

  it('is refused when the task is no longer the caller’s [idempotency-refused-task]', async () => {
    await using project = await projectWithTasks()
    const ann = project.as('ann')
    const [take, claim] = [{ idempotency_key: 'k1' }, { id: '2', idempotency_key: 'k2' }]
    await execute(ann, takeTask, take)
    await execute(ann, claimTask, claim)
    for (const id of ['1', '2']) {
      await execute(ann, releaseTask, { id })
      await execute(project.as('ben'), claimTask, { id })
    }
    await expect(execute(ann, takeTask, take)).rejects.toMatchObject({
      ...lost,
      message: expect.stringContaining('claim it under another idempotency key'),
    })
    await expect(execute(ann, claimTask, claim)).rejects.toMatchObject(lost)
  })

  it('is refused when the same agent has claimed the task anew', async () => {
    await using project = await projectWithTasks()
    const ann = project.as('ann')
    await execute(ann, takeTask, { idempotency_key: 'k1' })
    await execute(ann, releaseTask, { id: '1' })
    await execute(ann, claimTask, { id: '1' })
    await expect(execute(ann, takeTask, { idempotency_key: 'k1' })).rejects.toMatchObject(lost)
  })

  it('is refused when the lease has run out, and so is its renewal', async () => {
    await using project = await projectWithTasks()
    const ann = project.as('ann')
    const renewal = { id: '1', idempotency_key: 'k2' }
    await execute(ann, takeTask, { idempotency_key: 'k1' })
    const { lease } = await execute(ann, renewTask, renewal)
    expect(await execute(ann, renewTask, renewal)).toMatchObject({ lease })
    project.tick(16 * MINUTE)
    await expect(execute(ann, takeTask, { idempotency_key: 'k1' })).rejects.toMatchObject(lost)
    await expect(execute(ann, renewTask, renewal)).rejects.toMatchObject(lost)
  })

  it('says how the lease stands now', async () => {
    await using project = await projectWithTasks()
    const ann = project.as('ann')
    await execute(ann, takeTask, { idempotency_key: 'k1' })
    project.tick(10 * MINUTE)
    const { lease } = await execute(ann, renewTask, { id: '1' })
    expect(await execute(ann, takeTask, { idempotency_key: 'k1' })).toMatchObject({
      claimed: { lease: { agent_id: agentIdOf('ann'), expires_at: lease.expires_at } },
    })
  })

  it('that found nothing to do is answered so again', async () => {
    await using project = await setup()
    const take = { idempotency_key: 'k1' }
    expect(await execute(project.as('ann'), takeTask, take)).toEqual({ claimed: null })
    await execute(project.context, createEntity, { type: 'task', title: 'A' })
    expect(await execute(project.as('ann'), takeTask, take)).toEqual({ claimed: null })
  })
})
