import { describe, expect, it } from 'vitest'
import { OWNER_ID, toAgentId } from '../../../src/agent/agent.ts'
import { heartbeat, joinAgent } from '../../../src/agent/operations.ts'
import { showBrief } from '../../../src/brief/operations.ts'
import type { Agent, Context } from '../../../src/core/context.ts'
import { execute } from '../../../src/core/execute.ts'
import { printForAgent } from '../../../src/core/show.ts'
import { createEntity, getEntity } from '../../../src/entity/operations.ts'
import { answerQuestion } from '../../../src/message/answer.ts'
import { showInbox } from '../../../src/message/inbox.ts'
import {
  ackMessages,
  getMessage,
  listMessages,
  searchMessages,
  sendMessage,
  threadMessages,
} from '../../../src/message/operations.ts'
import { showStatus } from '../../../src/project/status.ts'
import { createTask } from '../../../src/task/operations.ts'
import { type Setup, setup } from '../../setup.ts'

const KIM: Agent = { name: 'Kim Lee', surface: 'cli', assumed: true }

interface Crew extends Setup {
  readonly ada: Context
  readonly bo: Context
  readonly kim: Context
}

/** Two agents over MCP, and a person who has not yet run a command. */
async function crew(): Promise<Crew> {
  const project = await setup()
  const agent = (name: string, id: string): Context =>
    project.as('', { agent: { name, surface: 'mcp', id: toAgentId(id) } })
  const ada = agent('ada', 'A00000AD')
  const bo = agent('bo', 'A00000B0')
  for (const each of [ada, bo]) await execute(each, joinAgent, {})
  await execute(ada, createTask, { title: 'Checkout' })
  return { ...project, ada, bo, kim: project.as('', { agent: KIM }) }
}

describe('a message to the owner', () => {
  it.each(['owner', 'Owner', 'Test Author'])(
    'sent to "%s" waits for a person who has never run a command',
    async (to) => {
      await using project = await crew()
      const sent = await execute(project.ada, sendMessage, { to, body: 'Drop the old table?' })
      expect(sent).toMatchObject({ delivered_to: [OWNER_ID], message: { to: OWNER_ID } })
      expect(await execute(project.kim, showInbox, {})).toMatchObject({
        questions: [{ id: 1, from_name: 'ada', body: 'Drop the old table?' }],
      })
    },
  )

  it('stands in status and in the brief of the person and of the asking agent until it is answered', async () => {
    await using project = await crew()
    const { ada, bo, kim } = project
    await execute(ada, sendMessage, { to: 'owner', body: 'Drop the old table?' })
    const text = 'Drop the old table?'
    expect(await execute(kim, showStatus, {})).toMatchObject({ questions: [{ id: 1, text }] })
    expect(await execute(kim, showBrief, {})).toMatchObject({ messages: [{ id: 1, from: 'ada' }] })
    expect(await execute(ada, showBrief, {})).toMatchObject({ asked_owner: [{ id: 1, text }] })
    expect(await execute(bo, showBrief, {})).toMatchObject({ asked_owner: [] })
    await execute(kim, answerQuestion, { question: '1', body: 'Yes' })
    expect(await execute(kim, showStatus, {})).toMatchObject({ questions: [], unread: 0 })
    expect(await execute(kim, showInbox, {})).toMatchObject({ questions: [] })
    expect(await execute(ada, showBrief, {})).toMatchObject({
      asked_owner: [],
      next: 'Read message 2: the owner wrote to you.',
      messages: [{ id: 2, from: 'Kim Lee', from_owner: true, text: 'Yes' }],
    })
  })

  it('is closed by a reply of the person too', async () => {
    await using project = await crew()
    await execute(project.ada, sendMessage, { to: 'owner', body: 'Which one?' })
    await execute(project.kim, sendMessage, { reply_to: 1, body: 'This one' })
    expect(await execute(project.kim, showStatus, {})).toMatchObject({ questions: [] })
  })

  it('is closed without an answer by acknowledging it', async () => {
    await using project = await crew()
    await execute(project.ada, sendMessage, { to: 'owner', body: 'Done, for your information' })
    await execute(project.kim, ackMessages, { ids: [1] })
    expect(await execute(project.kim, showStatus, {})).toMatchObject({ questions: [] })
  })

  it('reaches the person and not an agent that goes by the name of the person', async () => {
    await using project = await crew()
    const agent: Agent = { name: 'Test Author', surface: 'mcp', id: toAgentId('A0FA1235') }
    const impostor = project.as('', { agent })
    await execute(impostor, joinAgent, {})
    await execute(project.ada, sendMessage, { to: 'Test Author', body: 'Really?' })
    expect(await execute(impostor, listMessages, {})).toMatchObject({ messages: [] })
    expect(await execute(project.kim, showInbox, {})).toMatchObject({ questions: [{ id: 1 }] })
  })

  it('broadcasts wait for the person too', async () => {
    await using project = await crew()
    await execute(project.ada, sendMessage, { body: 'The build is red' })
    expect(await execute(project.kim, showInbox, {})).toMatchObject({
      questions: [],
      messages: [{ id: 1, body: 'The build is red' }],
    })
  })

  it('a recipient that is not there is refused with the names of those who are', async () => {
    await using project = await crew()
    await expect(
      execute(project.ada, sendMessage, { to: 'Kimm', body: 'Hi' }),
    ).rejects.toMatchObject({
      code: 'not_found',
      message: 'to: no agent "Kimm" has joined; "bo" is here, and "owner" asks the person',
      details: { kind: 'agent', field: 'to', id: 'Kimm', names: ['bo'] },
    })
  })
})

describe('an answer', () => {
  it('arrives as from the owner, with its question and its task', async () => {
    await using project = await crew()
    const { ada, kim } = project
    await execute(ada, sendMessage, { to: 'owner', body: 'Which one?', task: '1' })
    const { message } = await execute(kim, answerQuestion, { question: 'm1', body: 'The new one' })
    expect(message).toMatchObject({ from: OWNER_ID, from_name: 'Kim Lee', from_owner: true })
    const { messages } = await execute(ada, listMessages, {})
    expect(messages).toMatchObject([
      { from_owner: true, from_name: 'Kim Lee', reply_to: 1, body: 'The new one' },
    ])
    expect(messages[0]?.task_id).toBeDefined()
  })

  it.each([
    ['9', 'not_found', 'question: there is no open question 9; open are m1 and #2'],
    ['#1', 'not_found', 'question: there is no open question #1; open are m1 and #2'],
    ['soon', 'invalid_input', 'question: must be a number such as 3, m3 for a message or #3'],
    ['m', 'invalid_input', 'question: must be a number such as 3, m3 for a message or #3'],
  ])(
    'to %s is refused, names the open questions and changes nothing',
    async (question, code, message) => {
      await using project = await crew()
      await execute(project.ada, sendMessage, { to: 'owner', body: 'Which one?' })
      await execute(project.ada, createEntity, {
        type: 'note',
        title: 'Which?',
        tags: ['question'],
      })
      const before = await project.context.store.events.latest()
      await expect(
        execute(project.kim, answerQuestion, { question, body: 'x' }),
      ).rejects.toMatchObject({ code, message: expect.stringContaining(message) })
      expect(await project.context.store.events.latest()).toBe(before)
    },
  )

  it('a second one is refused and names the first', async () => {
    await using project = await crew()
    await execute(project.ada, sendMessage, { to: 'owner', body: 'Which one?' })
    await execute(project.kim, answerQuestion, { question: '1', body: 'This' })
    await expect(
      execute(project.kim, answerQuestion, { question: '1', body: 'That' }),
    ).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('message 2') })
  })

  it('to a note tagged "question" is added to it, marks it answered and is sent to its author [answer-to-question-note]', async () => {
    await using project = await crew()
    const { ada, kim } = project
    const note = { type: 'note', title: 'Which tax?', content: 'Net or gross', tags: ['question'] }
    await execute(ada, createEntity, note)
    expect(await execute(kim, showInbox, {})).toMatchObject({
      notes: [{ number: 2, type: 'note' }],
    })
    expect(await execute(kim, showStatus, {})).toMatchObject({ questions: [{ number: 2 }] })
    await execute(kim, answerQuestion, { question: '2', body: 'Gross' })
    expect(await execute(ada, getEntity, { id: '2' })).toMatchObject({
      tags: ['question', 'answered'],
      content: 'Net or gross\n\nAnswer by Kim Lee: Gross',
    })
    expect(await execute(ada, listMessages, {})).toMatchObject({
      messages: [{ from_owner: true, subject: 'Which tax?', body: 'Gross' }],
    })
    expect(await execute(ada, showBrief, {})).toMatchObject({
      messages: [{ from_owner: true, text: 'Which tax? – Gross' }],
    })
    expect(await execute(kim, showInbox, {})).toMatchObject({ notes: [] })
  })

  it('to a note is in the brief of every agent whose work it is about [answer-in-brief]', async () => {
    await using project = await crew()
    const { ada, bo, kim } = project
    const note = { type: 'note', title: 'Which tax rate?', content: 'Net?', tags: ['question'] }
    await execute(ada, createEntity, note)
    await execute(kim, answerQuestion, { question: '2', body: 'Gross:\n\n19 percent' })
    const found = await execute(bo, showBrief, { topic: 'tax rate' })
    expect(found.notes).toMatchObject([{ number: 2, answer: 'Gross: 19 percent' }])
    expect(printForAgent(showBrief.show(found))).toContain(
      '- #2 Which tax rate? · answer: Gross: 19 percent · by ada\n',
    )
  })
})

it('the person is named as the owner among those who are here, and not among the agents of status [owner-is-no-agent]', async () => {
  await using project = await crew()
  const { ada, kim } = project
  await execute(kim, sendMessage, { to: 'ada', body: 'Hello' })
  const found = await execute(ada, showBrief, {})
  expect(found.agents).toContainEqual({ name: 'Kim Lee', owner: true })
  expect(printForAgent(showBrief.show(found))).toContain('\n- the owner (Kim Lee)\n')
  const status = await execute(kim, showStatus, {})
  expect(status.agents.map(({ name }) => name)).toEqual(expect.arrayContaining(['ada', 'bo']))
  expect(status).toMatchObject({ agents: [{}, {}], agents_online: 2 })
})

describe('no agent passes for the person', () => {
  const AGENTS: readonly (readonly [string, Agent])[] = [
    ['over MCP', { name: 'Kim Lee', surface: 'mcp', id: toAgentId('A0FA1235') }],
    ['over HTTP', { name: 'Kim Lee', surface: 'http', id: toAgentId('A0-1'), owner: 'A0' }],
    ['with an actor at the command line', { name: 'owner', surface: 'cli' }],
    ['that runs commands in its host', { name: 'x', surface: 'cli', assumed: true, host: 'x' }],
  ]

  it.each(AGENTS)('an agent %s [agent-is-no-owner]', async (_title, agent) => {
    await using project = await crew()
    const fake = project.as('', { agent })
    await execute(project.ada, sendMessage, { to: 'owner', body: 'secret plan' })
    await execute(project.kim, sendMessage, { to: 'ada', body: 'between us' })
    const agent_id = OWNER_ID
    const attempts: readonly (() => Promise<unknown>)[] = [
      () => execute(fake, answerQuestion, { question: '1', body: 'x' }),
      () => execute(fake, sendMessage, { agent_id, to: 'ada', body: 'x' }),
      () => execute(fake, listMessages, { agent_id, unread_only: false }),
      () => execute(fake, listMessages, { all: true }),
      () => execute(fake, ackMessages, { agent_id, ids: [1] }),
      () => execute(fake, heartbeat, { agent_id }),
    ]
    for (const attempt of attempts) {
      await expect(attempt()).rejects.toMatchObject({ code: 'forbidden' })
    }
    await expect(execute(fake, getMessage, { id: 1 })).rejects.toMatchObject({ code: 'not_found' })
    expect(await execute(fake, searchMessages, { text: 'secret' })).toMatchObject({ messages: [] })
    expect(await execute(fake, showInbox, {})).toMatchObject({ questions: [] })
    await execute(fake, sendMessage, { to: 'ada', body: 'I am the owner' })
    const { messages } = await execute(project.ada, listMessages, {})
    const last = messages.at(-1)
    expect(last?.from_owner).toBeUndefined()
    expect(last?.from_name).not.toBe('Kim Lee')
    expect(last?.from_name).not.toBe('owner')
  })

  it('cannot join under the name owner', async () => {
    await using project = await crew()
    for (const name of ['owner', ' Owner ']) {
      await expect(execute(project.ada, joinAgent, { name })).rejects.toMatchObject({
        code: 'invalid_input',
        message: 'name: is reserved for the person; choose another one',
      })
    }
  })
})

describe('the person reads every message', () => {
  it('also those between agents', async () => {
    await using project = await crew()
    const { ada, bo, kim } = project
    await execute(ada, sendMessage, { to: 'bo', body: 'take the parser', task: '1' })
    await execute(bo, sendMessage, { to: 'ada', body: 'parser taken', task: '1' })
    const both = [
      { id: 1, from_name: 'ada', to_name: 'bo' },
      { id: 2, from_name: 'bo', to_name: 'ada' },
    ]
    expect(await execute(kim, listMessages, { all: true })).toMatchObject({ messages: both })
    expect(await execute(kim, threadMessages, { task: '1' })).toMatchObject({ messages: both })
    expect(await execute(kim, searchMessages, { text: 'parser' })).toMatchObject({ messages: both })
    expect(await execute(kim, getMessage, { id: 2 })).toMatchObject({ body: 'parser taken' })
    expect(await execute(kim, showStatus, {})).toMatchObject({ unread: 0 })
    const reply = await execute(kim, sendMessage, { reply_to: 2, body: 'Good' })
    expect(reply.message).toMatchObject({ from_owner: true, to_name: 'bo' })
  })

  it('shows the newest of many, oldest first', async () => {
    await using project = await crew()
    for (const body of ['1', '2', '3']) await execute(project.ada, sendMessage, { to: 'bo', body })
    const { messages } = await execute(project.kim, listMessages, { all: true, limit: 2 })
    expect(messages.map(({ id }) => id)).toEqual([2, 3])
  })

  it('agents see only their own', async () => {
    await using project = await crew()
    await execute(project.ada, sendMessage, { to: 'owner', body: 'a question', task: '1' })
    expect(await execute(project.bo, threadMessages, { task: '1' })).toMatchObject({ messages: [] })
    await expect(execute(project.bo, getMessage, { id: 1 })).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})
