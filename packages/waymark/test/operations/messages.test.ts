import { describe, expect, it } from 'vitest'
import { agentIdOf } from '../../src/agent/agent.ts'
import { execute } from '../../src/core/execute.ts'
import { heartbeat, joinAgent, leaveAgent } from '../../src/agent/operations.ts'
import { createEntity } from '../../src/entity/operations.ts'
import {
  ackMessages,
  listMessages,
  searchMessages,
  sendMessage,
  threadMessages,
} from '../../src/message/operations.ts'
import { listEvents } from '../../src/event/operations.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { type Setup, setup } from '../setup.ts'

const ANN = agentIdOf('ann')
const BOB = agentIdOf('bob')

/** A project with one task and three agents. */
async function crew(): Promise<Setup> {
  const project = await setup()
  await execute(project.context, createEntity, { type: 'task', title: 'T' })
  for (const name of ['ann', 'bob', 'cam']) await execute(project.as(name), joinAgent, {})
  return project
}

async function inbox(project: Setup, name: string, filter: object = {}): Promise<string[]> {
  const { messages } = await execute(project.as(name), listMessages, filter)
  return messages.map(({ body }) => body)
}

describe('sending', () => {
  it('a direct message reaches its reader and nobody else', async () => {
    await using project = await crew()
    const sent = await execute(project.as('ann'), sendMessage, {
      to: BOB,
      body: 'Please review',
      subject: 'Review',
      severity: 'warning',
    })
    expect(sent).toEqual({
      message: {
        id: 1,
        at: '2026-11-15T12:00:00.000Z',
        from: ANN,
        from_name: 'ann',
        to: BOB,
        to_name: 'bob',
        subject: 'Review',
        body: 'Please review',
        severity: 'warning',
      },
      delivered_to: [BOB],
      delivered_names: ['bob'],
    })
    expect(await inbox(project, 'bob')).toEqual(['Please review'])
    expect(await inbox(project, 'cam')).toEqual([])
    expect(await inbox(project, 'ann')).toEqual([])
  })

  it('a message to everybody reaches all others, and each reads it in its own time', async () => {
    await using project = await crew()
    const { delivered_to } = await execute(project.as('ann'), sendMessage, { body: 'Hello' })
    expect(new Set(delivered_to)).toEqual(new Set([BOB, agentIdOf('cam')]))
    await execute(project.as('bob'), ackMessages, { ids: [1] })
    expect(await inbox(project, 'bob')).toEqual([])
    expect(await inbox(project, 'cam')).toEqual(['Hello'])
    expect(await inbox(project, 'ann')).toEqual([])
  })

  it('an agent may be named by a name that only one goes by', async () => {
    await using project = await crew()
    await execute(project.as('ann'), sendMessage, { to: 'bob', body: 'Hi' })
    expect(await inbox(project, 'bob')).toEqual(['Hi'])
    await execute(project.as('x'), joinAgent, { name: 'bob', fresh: true })
    await expect(
      execute(project.as('ann'), sendMessage, { to: 'bob', body: 'Hi' }),
    ).rejects.toMatchObject({ code: 'ambiguous_id' })
    await expect(
      execute(project.as('ann'), sendMessage, { to: 'zoe', body: 'Hi' }),
    ).rejects.toMatchObject({ code: 'not_found', details: { kind: 'agent', field: 'to' } })
  })

  it('a name means those who are here before those who are gone', async () => {
    await using project = await crew()
    const ann = project.as('ann')
    const join = async () =>
      (await execute(project.as('host'), joinAgent, { name: 'claude', fresh: true })).agent.id
    const leave = (agent_id: string) => execute(project.context, leaveAgent, { agent_id })
    const send = (to: string) => execute(ann, sendMessage, { to, body: 'Hi' })
    const first = await join()
    await leave(first)
    const second = await join()
    expect((await send('claude')).delivered_to).toEqual([second])
    expect(await send(first)).toMatchObject({
      message: { to: first },
      delivered_to: [],
      note: expect.stringContaining('"claude" has left'),
    })
    const third = await join()
    await expect(send('claude')).rejects.toMatchObject({
      code: 'ambiguous_id',
      message: expect.stringContaining(`${third} (active)`),
      details: {
        candidates: expect.toSatisfy(
          (all: readonly { id: string; presence: string }[]) =>
            [second, third].every((id) => all.some((one) => one.id === id)) && all.length === 2,
        ),
      },
    })
    // One that only fell silent may come back.
    await leave(third)
    project.tick(2 * 60 * 60_000)
    expect((await send('claude')).delivered_to).toEqual([second])
  })

  it('an answer goes back to whoever wrote, about the same task', async () => {
    await using project = await crew()
    await execute(project.as('ann'), sendMessage, { to: 'bob', task: '1', body: 'Why?' })
    const { message } = await execute(project.as('bob'), sendMessage, {
      reply_to: 1,
      body: 'Because',
    })
    expect(message).toMatchObject({ to: ANN, reply_to: 1, task_id: expect.any(String) })
    await expect(
      execute(project.as('cam'), sendMessage, { reply_to: 1, body: 'Me too' }),
    ).rejects.toMatchObject({ code: 'not_found', details: { kind: 'message' } })
  })

  it('what one adds to an own message goes to those who got that', async () => {
    await using project = await crew()
    const ann = project.as('ann')
    await execute(ann, sendMessage, { to: 'bob', body: 'Port 80' })
    const correction = { reply_to: 1, body: 'Correction: port 443' }
    expect((await execute(ann, sendMessage, correction)).delivered_to).toEqual([BOB])
    await execute(ann, sendMessage, { body: 'Hello' })
    const { message } = await execute(ann, sendMessage, { reply_to: 3, body: 'And goodbye' })
    expect(message).not.toHaveProperty('to')
    expect(await inbox(project, 'bob')).toEqual([
      'Port 80',
      'Correction: port 443',
      'Hello',
      'And goodbye',
    ])
    expect(await inbox(project, 'cam')).toEqual(['Hello', 'And goodbye'])
    expect(await inbox(project, 'ann')).toEqual([])
  })

  it.each([
    [{ body: '   ' }, { field: 'body', rule: 'required' }],
    [{ body: 'x'.repeat(16 * 1024 + 1) }, { field: 'body', rule: 'too_large', max: 16384 }],
    [{ body: 'é'.repeat(8193) }, { field: 'body', rule: 'too_large', actual: 16386 }],
    [
      { body: 'x', severity: 'panic' },
      { field: 'severity', rule: 'not_one_of' },
    ],
    [
      { body: 'x', subject: 'y'.repeat(201) },
      { field: 'subject', rule: 'too_long' },
    ],
  ])('%o is refused', async (input, details) => {
    await using project = await crew()
    await expect(execute(project.as('ann'), sendMessage, input)).rejects.toMatchObject({
      code: 'invalid_input',
      details,
    })
    expect(await inbox(project, 'bob')).toEqual([])
  })

  it('in the name of a lease that was lost is refused', async () => {
    await using project = await crew()
    await execute(project.as('ann'), claimTask, { id: '1' })
    project.tick(20 * 60_000)
    await execute(project.as('bob'), claimTask, { id: '1' })
    await expect(
      execute(project.as('ann'), sendMessage, { task: '1', fence: 1, body: 'I am on it' }),
    ).rejects.toMatchObject({ code: 'lease_lost' })
  })
})

describe('reading', () => {
  it('goes page by page, and acknowledging twice changes nothing', async () => {
    await using project = await crew()
    for (const body of ['1', '2', '3']) await execute(project.as('ann'), sendMessage, { body })
    const first = await execute(project.as('bob'), listMessages, { limit: 2 })
    expect(first).toMatchObject({ messages: [{ id: 1 }, { id: 2 }], unread: 3, next_after_id: 2 })
    const rest = await execute(project.as('bob'), listMessages, { limit: 2, after_id: 2 })
    expect(rest.messages.map(({ id }) => id)).toEqual([3])
    expect(rest.next_after_id).toBeUndefined()
    expect(await execute(project.as('bob'), ackMessages, { ids: [1, 2, 2] })).toEqual({
      acknowledged: [1, 2],
      unread: 1,
    })
    const { latest } = await execute(project.as('bob'), listEvents, {})
    expect(await execute(project.as('bob'), ackMessages, { ids: [1, 99] })).toEqual({
      acknowledged: [],
      unread: 1,
    })
    expect(await execute(project.as('bob'), listEvents, { since: latest })).toMatchObject({
      events: [],
    })
    expect(await inbox(project, 'bob')).toEqual(['3'])
    const all = await execute(project.as('bob'), listMessages, { unread_only: false })
    expect(all.messages.map(({ read_at }) => read_at !== undefined)).toEqual([true, true, false])
    expect(await execute(project.as('bob'), heartbeat, {})).toMatchObject({ unread_messages: 1 })
  })

  it('what was left out while later ones were read stays unread', async () => {
    await using project = await crew()
    const send = (body: string, to?: string) =>
      execute(project.as('ann'), sendMessage, { body, ...(to !== undefined && { to }) })
    for (const body of ['1', '2', '3', '4']) await send(body, body === '2' ? 'bob' : undefined)
    const acknowledge = (...ids: number[]) => execute(project.as('bob'), ackMessages, { ids })
    expect(await acknowledge(3, 4)).toMatchObject({ unread: 2 })
    expect(await inbox(project, 'bob')).toEqual(['1', '2'])
    expect(await acknowledge(1)).toMatchObject({ unread: 1 })
    expect(await inbox(project, 'bob')).toEqual(['2'])
    expect(await acknowledge(2)).toMatchObject({ unread: 0 })
    await send('5', 'bob')
    await send('6')
    expect(await inbox(project, 'bob')).toEqual(['5', '6'])
    expect(await inbox(project, 'bob', { after_id: 5 })).toEqual(['6'])
    expect(await inbox(project, 'bob', { unread_only: false })).toHaveLength(6)
  })

  it('what was said to everybody before one came is not unread', async () => {
    await using project = await crew()
    await execute(project.as('ann'), sendMessage, { body: 'old news' })
    project.tick(1000)
    await execute(project.as('dan'), joinAgent, {})
    await execute(project.as('ann'), sendMessage, { body: 'welcome' })
    expect(await inbox(project, 'dan')).toEqual(['welcome'])
  })

  it('can be narrowed to what matters and searched by words', async () => {
    await using project = await crew()
    await execute(project.as('ann'), sendMessage, { body: 'All good', severity: 'info' })
    await execute(project.as('ann'), sendMessage, { body: '100% stuck', severity: 'blocker' })
    expect(await inbox(project, 'bob', { severity: 'blocker' })).toEqual(['100% stuck'])
    const search = async (text: string) =>
      (await execute(project.as('bob'), searchMessages, { text })).messages.map(({ id }) => id)
    expect(await search('STUCK')).toEqual([2])
    expect(await search('0%')).toEqual([2])
    expect(await search('1_0')).toEqual([])
  })
})

describe('about a task', () => {
  it('everybody can follow the thread, but not what two say to each other', async () => {
    await using project = await crew()
    await execute(project.as('ann'), sendMessage, { task: '1', body: 'started' })
    await execute(project.as('ann'), sendMessage, { task: '1', to: 'bob', body: 'between us' })
    await execute(project.as('bob'), sendMessage, { body: 'something else' })
    const thread = async (name: string) =>
      (await execute(project.as(name), threadMessages, { task: '1' })).messages.map(
        ({ body }) => body,
      )
    expect(await thread('cam')).toEqual(['started'])
    expect(await thread('bob')).toEqual(['started', 'between us'])
    expect(await thread('ann')).toEqual(['started', 'between us'])
  })

  it('whoever claims it is shown the latest unread message, even from before it came', async () => {
    await using project = await crew()
    const send = (body: string) =>
      execute(project.as('ann'), sendMessage, { task: '1', severity: 'handoff', body })
    await send('tests are missing')
    await send('and the docs')
    project.tick(1000)
    expect(await execute(project.as('dan'), claimTask, { id: '1' })).toMatchObject({
      handoff: { body: 'and the docs', severity: 'handoff', from: ANN },
      unread_messages: 2,
    })
    await execute(project.as('dan'), ackMessages, { ids: [1, 2] })
    const again = await execute(project.as('dan'), claimTask, { id: '1' })
    expect(again).toMatchObject({ renewed: true, unread_messages: 0 })
    expect(again.handoff).toBeUndefined()
  })
})
