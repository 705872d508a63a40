import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { listAgents } from '../../src/agent/operations.ts'
import { showBrief } from '../../src/brief/operations.ts'
import { listEvents, waitForEvents } from '../../src/event/operations.ts'
import { listMessages, sendMessage } from '../../src/message/operations.ts'
import { connect, type DialectClient } from '../dialects/client.ts'
import { type Setup, setup } from '../setup.ts'

const STOP = 'do not touch src'

/** Sends a broadcast and returns how many agents it is delivered to. */
async function broadcast(project: Setup, body = STOP): Promise<number> {
  project.tick(1000)
  const { delivered_to } = await execute(project.as('ada'), sendMessage, { body })
  project.tick(1000)
  return delivered_to.length
}

async function inbox(client: DialectClient): Promise<string> {
  return (await client.result('inbox')).content.map(({ text }) => text).join('\n')
}

async function agentNames(project: Setup): Promise<(string | undefined)[]> {
  const { agents } = await execute(project.context, listAgents, { include_offline: true })
  return agents.map(({ name }) => name)
}

describe('an agent that only reads', () => {
  it.each(['brief', 'inbox'])('gets broadcasts after its first %s', async (tool) => {
    await using project = await setup()
    await using bob = await connect('waymark', { project })
    await bob.call(tool)
    expect(await broadcast(project)).toBe(1)
    expect(await inbox(bob)).toContain(STOP)
    expect((await bob.result('brief')).content[0]?.text).toContain(STOP)
    expect(await agentNames(project)).toEqual(['ada', 'test'])
  })

  it('gets the broadcasts since it connected, and none from before [reading-agents-gets-broadcasts]', async () => {
    await using project = await setup()
    await broadcast(project, 'from before')
    await using bob = await connect('waymark', { project })
    await broadcast(project)
    await broadcast(project, 'and once more')
    const text = await inbox(bob)
    expect(text).toContain(STOP)
    expect(text).toContain('and once more')
    expect(text).not.toContain('from before')
  })

  it('gets broadcasts on a read-only server, which writes nothing', async () => {
    await using project = await setup()
    await using bob = await connect('waymark', {
      project,
      server: { access: { readOnly: true } },
    })
    expect(await broadcast(project)).toBe(0)
    const before = await execute(project.context, listEvents, {})
    expect(await inbox(bob)).toContain(STOP)
    expect((await bob.result('brief')).content[0]?.text).toContain(STOP)
    await broadcast(project, 'and once more')
    expect(await inbox(bob)).toContain('and once more')
    expect(await execute(project.context, listEvents, { since: before.latest })).toMatchObject({
      events: [{ type: 'message.sent' }],
    })
    expect(await agentNames(project)).toEqual(['ada'])
  })

  it('gets the broadcasts since its first read where it has no connection and may not write', async () => {
    await using project = await setup()
    const bob = project.as('bob', { access: { readOnly: true } })
    await broadcast(project, 'from before')
    expect(await execute(bob, listMessages, {})).toMatchObject({ unread: 0 })
    await broadcast(project)
    for (let times = 0; times < 2; times += 1) {
      const shown = { messages: [{ body: STOP }], unread: 1 }
      expect(await execute(bob, listMessages, {})).toMatchObject(shown)
    }
  })

  it('is shown a broadcast until it has acknowledged it', async () => {
    await using project = await setup()
    await using bob = await connect('waymark', { project })
    await bob.call('inbox')
    await broadcast(project)
    expect(await inbox(bob)).toContain(STOP)
    await bob.call('inbox', { ack: [1] })
    expect(await inbox(bob)).not.toContain(STOP)
    expect((await bob.result('brief')).content[0]?.text).not.toContain(STOP)
  })

  it('is the same agent in each command with its name', async () => {
    await using project = await setup()
    await execute(project.as('bob'), showBrief, {})
    expect(await broadcast(project)).toBe(1)
    const shown = { messages: [{ id: 1 }], unread: 1 }
    expect(await execute(project.as('bob'), listMessages, {})).toMatchObject(shown)
    expect(await execute(project.as('bob'), showBrief, {})).toMatchObject(shown)
  })

  it('sees a broadcast among the events, also while it waits for one', async () => {
    await using project = await setup()
    const bob = project.as('bob')
    const waiting = execute(bob, waitForEvents, { since: 0, seconds: 20, types: ['message.sent'] })
    await broadcast(project)
    expect(await waiting).toMatchObject({ events: [{ subject: '1' }] })
    expect(await execute(bob, listEvents, { types: ['message.sent'] })).toMatchObject({
      events: [{ subject: '1' }],
    })
  })
})

describe('a connection', () => {
  it('that only lists tools and searches makes no agent', async () => {
    await using project = await setup()
    for (let client = 0; client < 3; client += 1) {
      await using one = await connect('waymark', { project })
      await one.request('tools/list')
      await one.result('recall', { query: 'anything' })
      await one.result('events')
    }
    expect(await agentNames(project)).toEqual([])
    expect(await broadcast(project)).toBe(0)
  })

  it('of the lodestar dialect is no agent beside the joined ones', async () => {
    await using project = await setup()
    await using client = await connect('lodestar', { project })
    await broadcast(project, 'from before')
    const { agentId } = await client.call('lodestar.agent.join', { name: 'bob' })
    await client.call('lodestar.repo.status')
    await client.call('lodestar.events.pull')
    expect(await broadcast(project)).toBe(1)
    expect(await client.call('lodestar.message.list', { agentId })).toMatchObject({
      messages: [{ body: STOP }],
    })
    expect(await agentNames(project)).toEqual(['ada', 'bob'])
  })
})
