import { describe, expect, it } from 'vitest'
import { execute } from '../../src/execute.ts'
import { joinAgent } from '../../src/operations/agents.ts'
import { createEntity, listEntities, updateEntity } from '../../src/operations/entities.ts'
import { createTasks, removeTask } from '../../src/operations/tasks.ts'
import { takeTask } from '../../src/operations/task-leases.ts'
import { setup } from '../setup.ts'

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

  it('gets the same answer over a new connection', async () => {
    await using project = await setup()
    await execute(project.context, createEntity, { type: 'task', title: 'A' })
    const call = { idempotency_key: 'take-1' }
    const over = (id: string) => project.as('ann', { agent: { name: 'ann', surface: 'mcp', id } })
    const first = await execute(over('A0000001'), takeTask, call)
    expect(await execute(over('A0000002'), takeTask, call)).toEqual(first)
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
    const agent = { name: 'ben', surface: 'http', id: 'A0000001', owner: 'AOWNER' } as const
    await expect(execute(project.as('ben', { agent }), takeTask, call)).rejects.toMatchObject({
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
