import { describe, expect, it } from 'vitest'
import { agentIdOf, toAgentId } from '../../src/agent/agent.ts'
import { execute } from '../../src/core/execute.ts'
import { heartbeat, joinAgent, leaveAgent, listAgents } from '../../src/agent/operations.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { type Setup, setup } from '../setup.ts'

const MINUTE = 60_000

async function present({ context }: Setup, filter: object = {}): Promise<string[]> {
  const { agents } = await execute(context, listAgents, filter)
  return agents.map(({ name, presence }) => `${name}: ${presence}`)
}

describe('joining', () => {
  it('says who is here, in what, as what, and how long its claims last', async () => {
    await using project = await setup()
    const joined = await execute(project.as('ann'), joinAgent, {
      role: 'reviewer',
      client: 'vscode/1.99',
      model: 'opus',
      capabilities: { supportsPush: true },
      lease_seconds: 30,
    })
    expect(joined).toEqual({
      agent: {
        id: agentIdOf('ann'),
        name: 'ann',
        role: 'reviewer',
        client: 'vscode/1.99',
        model: 'opus',
        capabilities: { supportsPush: true },
        presence: 'active',
        lease_seconds: 60,
        joined_at: '2026-11-15T12:00:00.000Z',
        seen_at: '2026-11-15T12:00:00.000Z',
      },
      server_time: '2026-11-15T12:00:00.000Z',
    })
    expect(await execute(project.context, listAgents, {})).toMatchObject({
      agents: [{ id: agentIdOf('ann'), held: [] }],
    })
  })

  it('again is the same agent, unless it asks to be a new one', async () => {
    await using project = await setup()
    const first = await execute(project.as('ann'), joinAgent, {})
    const again = await execute(project.as('ann'), joinAgent, {})
    const fresh = await execute(project.as('ann'), joinAgent, { fresh: true })
    expect(again.agent.id).toBe(first.agent.id)
    expect(fresh.agent.id).toMatch(/^A[0-9A-F]{8}$/)
    expect(fresh.agent.id).not.toBe(first.agent.id)
  })

  it('on a connection is that connection’s agent, and a new one belongs to the same owner', async () => {
    await using project = await setup()
    const owned = (id: string, owner: string) =>
      project.as('', { agent: { name: 'client', surface: 'http', id: toAgentId(id), owner } })
    const ann = owned('AAA-1', 'AAA')
    expect((await execute(ann, joinAgent, { name: 'ann' })).agent).toMatchObject({ id: 'AAA-1' })
    const { agent } = await execute(ann, joinAgent, { name: 'ann', fresh: true })
    expect(agent.id).toMatch(/^AAA-[0-9A-F]{8}$/)
    const asAgent = { agent_id: agent.id }
    expect((await execute(ann, heartbeat, asAgent)).agent.id).toBe(agent.id)
    await expect(execute(owned('BBB-1', 'BBB'), heartbeat, asAgent)).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  it('needs a name when nobody knows one', async () => {
    await using project = await setup()
    const nobody = project.as('', { agent: { name: null, surface: 'cli' } })
    await expect(execute(nobody, joinAgent, {})).rejects.toMatchObject({
      code: 'invalid_input',
      details: { field: 'name' },
    })
  })
})

describe('presence', () => {
  it('of one who only reads is seen on a machine whose clock is behind, too', async () => {
    await using project = await setup()
    await execute(project.as('ann'), joinAgent, {})
    const behind = project.as('ann', { now: () => project.context.now() - 60 * MINUTE })
    project.tick(10 * MINUTE)
    await execute(project.context, createEntity, { type: 'note', title: 'N' })
    await execute(behind, listAgents, {})
    expect(await present(project, { presence: 'active' })).toEqual(['ann: active'])
  })

  it('fades from active to idle to offline, and any call brings it back', async () => {
    await using project = await setup()
    await execute(project.context, createEntity, { type: 'task', title: 'T' })
    await execute(project.as('ann'), joinAgent, {})
    await execute(project.as('bob'), joinAgent, {})
    project.tick(15 * MINUTE - 1)
    expect(await present(project)).toEqual(['ann: active', 'bob: active'])
    project.tick(1)
    await execute(project.as('bob'), claimTask, { id: '1' })
    expect(await present(project)).toEqual(['bob: active', 'ann: idle'])
    project.tick(45 * MINUTE)
    expect(await present(project)).toEqual(['bob: idle'])
    expect(await present(project, { include_offline: true })).toEqual(['bob: idle', 'ann: offline'])
    expect(await present(project, { presence: 'offline' })).toEqual(['ann: offline'])
    await execute(project.as('ann'), createEntity, { type: 'note', title: 'I am back' })
    expect(await present(project, { presence: 'active' })).toEqual(['ann: active'])
  })

  it('is looked for among all, however many others were seen later', async () => {
    await using project = await setup()
    const joins = async (...names: readonly string[]): Promise<void> => {
      for (const name of names) await execute(project.as(name), joinAgent, {})
    }
    await joins('off')
    project.tick(50 * MINUTE)
    await joins('idle')
    project.tick(20 * MINUTE)
    await joins('left', 'ann', 'bob')
    await execute(project.as('left'), leaveAgent, {})
    const limit = 2
    expect(await present(project, { presence: 'offline', limit })).toEqual([
      'left: offline',
      'off: offline',
    ])
    expect(await present(project, { presence: 'idle', limit })).toEqual(['idle: idle'])
    expect(await present(project, { limit: 3 })).toHaveLength(3)
    expect(await present(project, { include_offline: true })).toHaveLength(5)
  })

  it('reading counts too', async () => {
    await using project = await setup()
    await execute(project.as('ann'), joinAgent, {})
    project.tick(20 * MINUTE)
    await execute(project.as('ann'), listAgents, {})
    expect(await present(project)).toEqual(['ann: active'])
  })

  it('a heartbeat tells which claims are still good, so that nobody works on a lost one', async () => {
    await using project = await setup()
    for (const title of ['A', 'B']) {
      await execute(project.context, createEntity, { type: 'task', title })
    }
    await execute(project.as('ann'), claimTask, { id: '1', seconds: 60 })
    await execute(project.as('ann'), claimTask, { id: '2' })
    project.tick(2 * MINUTE)
    expect(await execute(project.as('ann'), heartbeat, {})).toMatchObject({
      agent: { presence: 'active' },
      idle_at: '2026-11-15T12:17:00.000Z',
      held: [{ task: { title: 'B' }, lease: { fence: 1 } }],
      unread_messages: 0,
    })
  })
})

describe('leaving', () => {
  it('gives every claim back at once', async () => {
    await using project = await setup()
    await execute(project.context, createEntity, { type: 'task', title: 'A' })
    await execute(project.as('ann'), claimTask, { id: '1' })
    expect(
      await execute(project.as('ann'), leaveAgent, { reason: 'done for today' }),
    ).toMatchObject({
      agent: { presence: 'offline' },
      released: [{ title: 'A', status: 'todo' }],
    })
    expect(await present(project)).toEqual([])
    expect(await execute(project.as('bob'), claimTask, { id: '1' })).toMatchObject({
      lease: { fence: 2 },
    })
  })

  it('is not for good: whoever acts again is back', async () => {
    await using project = await setup()
    await execute(project.as('ann'), joinAgent, {})
    await execute(project.as('ann'), leaveAgent, {})
    await execute(project.as('ann'), heartbeat, {})
    expect(await present(project)).toEqual(['ann: active'])
  })
})
