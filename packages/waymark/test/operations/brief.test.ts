import { describe, expect, it } from 'vitest'
import type { Context } from '../../src/core/context.ts'
import { printForAgent } from '../../src/core/show.ts'
import { estimateTokens } from '../../src/support/text/token-estimate.ts'
import { execute } from '../../src/core/execute.ts'
import { showBrief } from '../../src/brief/operations.ts'
import { supersedeDecision } from '../../src/decision/operations.ts'
import { batchEntities } from '../../src/entity/batch.ts'
import { createEntity, updateEntity } from '../../src/entity/operations.ts'
import { annotateCode } from '../../src/annotation/write/annotate.ts'
import { listEvents } from '../../src/event/operations.ts'
import { sendMessage } from '../../src/message/operations.ts'
import { showStatus } from '../../src/project/status.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { createTask, createTasks } from '../../src/task/operations.ts'
import { joinAgent } from '../../src/agent/operations.ts'
import { pathToOutside, setup, START } from '../setup.ts'
import { CLIENT, setupCode } from './code/code-setup.ts'
import { toAgentId } from '../../src/agent/agent.ts'

const brief = (context: Context, input: object = {}) => execute(context, showBrief, input)
const task = (context: Context, title: string, fields: object = {}) =>
  execute(context, createTask, { title, ...fields })
const decide = (context: Context, title: string, properties: object = {}) =>
  execute(context, createEntity, { type: 'decision', title, properties })

describe('the first line of a brief', () => {
  it('offers the most urgent task that is ready', async () => {
    await using project = await setup()
    await task(project.context, 'Later', { priority: 'low' })
    await task(project.context, 'Now', { priority: 'urgent' })
    const found = await brief(project.as('one'))
    expect(found).toMatchObject({ next: 'Claim #2.', ready_total: 2 })
    expect(printForAgent(showBrief.show(found)).split('\n')[0]).toBe('Claim #2.')
  })

  it('goes on with what is held, and renews it before it runs out', async () => {
    await using project = await setup()
    const one = project.as('one')
    await task(one, 'Write the store')
    await execute(one, claimTask, { id: '1', seconds: 600 })
    expect(await brief(one)).toMatchObject({
      next: 'Go on with #1.',
      leases: [{ number: 1, seconds_left: 600, fence: 1 }],
    })
    project.tick(550_000)
    expect((await brief(one)).next).toBe('Renew #1 now: your lease ends in 50 s.')
    expect((await brief(project.as('two'))).leases).toEqual([])
  })

  it('puts a message that somebody is in the way before all other work', async () => {
    await using project = await setup()
    const one = project.as('one')
    await execute(one, joinAgent, {})
    await task(one, 'Write the store')
    await execute(one, claimTask, { id: '1' })
    await execute(project.as('two'), sendMessage, { body: 'Small talk' })
    await execute(project.as('two'), sendMessage, { body: 'You broke main', severity: 'blocker' })
    const found = await brief(one)
    expect(found.next).toMatch(/^Read message 2 first/)
    expect(found.messages.map(({ id }) => id)).toEqual([2, 1])
    expect(found.unread).toBe(2)
  })

  it('does so however many messages that matter less came before', async () => {
    await using project = await setup()
    const [one, two] = [project.as('one'), project.as('two')]
    await execute(one, joinAgent, {})
    await task(one, 'Write the store')
    await execute(one, claimTask, { id: '1' })
    for (let at = 1; at <= 10; at += 1) await execute(two, sendMessage, { body: `Talk ${at}` })
    await execute(two, sendMessage, { body: 'You broke main', severity: 'blocker' })
    const found = await brief(one)
    expect(found).toMatchObject({ unread: 11, left_out: { messages: 1 } })
    expect(found.messages.map(({ id }) => id)).toEqual([11, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    for (const { next } of [found, await execute(one, showStatus, {})]) {
      expect(next).toMatch(/^Read message 11 first/)
    }
  })

  it('says so when there is nothing to do', async () => {
    await using project = await setup()
    expect((await brief(project.context)).next).toMatch(/^No open tasks/)
  })
})

describe('what changed', () => {
  it('is told once to each agent, without what it did itself', async () => {
    await using project = await setup()
    const [one, two] = [project.as('one'), project.as('two')]
    await task(one, 'Mine')
    await task(two, 'Theirs')
    const first = await brief(one)
    expect(first.changes).toMatchObject([{ number: 2, what: 'created', by: 'two' }])
    expect((await brief(one)).changes).toEqual([])
    project.tick(60_000)
    await execute(two, updateEntity, { id: '2', title: 'Theirs, renamed' })
    expect(await brief(one)).toMatchObject({
      since: '2026-11-15T12:00:00.000Z',
      changes: [{ number: 2, what: 'updated', title: 'Theirs, renamed' }],
    })
    expect((await brief(two)).changes).toMatchObject([{ number: 1 }])
  })

  it('goes by the name when a host comes back with a new identity', async () => {
    await using project = await setup()
    const session = (id: string) =>
      project.as('host', { agent: { name: 'host', surface: 'mcp', id: toAgentId(id) } })
    await task(project.context, 'Before')
    expect((await brief(session('A0000001'))).changes).toHaveLength(1)
    expect((await brief(session('A0000002'))).changes).toEqual([])
  })

  it('is told to each of several agents that go by the same name', async () => {
    await using project = await setup()
    const [one, two] = ['A0000001', 'A0000002'].map((id) =>
      project.as('host', { agent: { name: 'host', surface: 'mcp', id: toAgentId(id) } }),
    ) as [Context, Context]
    for (const session of [one, two]) await brief(session)
    await decide(one, 'Use SQLite')
    await decide(two, 'Blue buttons')
    expect((await brief(one)).changes).toMatchObject([{ number: 2, by: 'host' }])
    expect((await brief(two)).changes).toMatchObject([{ number: 1, by: 'host' }])
  })

  it('goes by the name where an event of an earlier version says no more', async () => {
    await using project = await setup()
    const one = project.as('one')
    await brief(one)
    await project.context.store.write(async ({ events }) => {
      const event = { type: 'entity.updated', at: START, data: { number: 1, title: 'Old' } }
      await events.append({ ...event, subject: 'a', agent: 'one' })
      await events.append({ ...event, subject: 'b', agent: 'two' })
    }, project.context)
    expect((await brief(one)).changes).toMatchObject([{ by: 'two' }])
  })

  it('is told to whoever has lost a lease, as nobody’s doing', async () => {
    await using project = await setup()
    const one = project.as('one')
    await task(one, 'Write the store')
    await execute(one, claimTask, { id: '1', seconds: 600 })
    await brief(one)
    project.tick(601_000)
    const { changes } = await brief(one)
    expect(changes).toMatchObject([{ number: 1, what: 'expired' }])
    expect(changes[0]).not.toHaveProperty('by')
  })

  it('is told however many signs of life came after it', async () => {
    await using project = await setup()
    const one = project.as('one')
    await brief(one)
    await task(project.as('two'), 'Theirs')
    await project.context.store.write(async ({ events }) => {
      const event = { type: 'agent.heartbeat', subject: 'A0000001', at: START, agent: 'two' }
      for (let at = 0; at < 500; at += 1) await events.append({ ...event, data: {} })
    }, project.context)
    expect((await execute(one, showStatus, {})).recent).toMatchObject([{ number: 1 }])
    expect((await brief(one)).changes).toMatchObject([{ number: 1, title: 'Theirs' }])
  })

  it('is counted in full, and what was left out can be read from where one looked last', async () => {
    await using project = await setup()
    const [one, two] = [project.as('one'), project.as('two')]
    await task(two, 'Before')
    const { cursor } = await brief(one)
    const { cursor: theirs } = await brief(project.as('three'))
    const tasks = Array.from({ length: 40 }, (_, at) => ({ title: `Task ${at}` }))
    await execute(two, createTasks, { tasks })
    const found = await brief(one, { max_tokens: 8000 })
    expect(found).toMatchObject({ changes_after: cursor, left_out: { changes: 10 } })
    expect(found.changes).toHaveLength(30)
    expect(printForAgent(showBrief.show(found))).toContain(`all changes: events since ${cursor}\n`)
    const { events } = await execute(one, listEvents, { since: cursor, types: ['entity.created'] })
    expect(events).toHaveLength(40)
    expect(await brief(one)).not.toHaveProperty('changes_after')
    const short = await brief(project.as('three'), { max_tokens: 200 })
    expect(short).toMatchObject({ changes_after: theirs, left_out: { changes: 40 } })
    expect(estimateTokens(JSON.stringify(short))).toBeLessThanOrEqual(200)
  })

  it('is not marked as told on a server that may not write', async () => {
    await using project = await setup()
    await task(project.context, 'Before')
    const reader = project.as('reader', { access: { readOnly: true } })
    expect((await brief(reader)).changes).toHaveLength(1)
    expect((await brief(reader)).changes).toHaveLength(1)
  })
})

describe('decisions and questions', () => {
  it('are those that bear on the topic, and never those that no longer hold', async () => {
    await using project = await setup()
    const { context } = project
    await decide(context, 'Store sessions in Redis', { status: 'accepted' })
    await decide(context, 'Store sessions in SQLite', { status: 'accepted' })
    await decide(context, 'Blue buttons', { status: 'accepted' })
    await execute(context, supersedeDecision, { old: '1', new: '2' })
    const { decisions } = await brief(context, { topic: 'where sessions are stored' })
    expect(decisions[0]).toMatchObject({ number: 2, status: 'accepted' })
    expect(decisions.map(({ number }) => number)).not.toContain(1)
  })

  it('that a relation supersedes are left out, whatever their status says [brief-superseded-by-relation]', async () => {
    await using project = await setupCode()
    const { context } = project
    await decide(context, 'Store sessions in Redis', { status: 'accepted' })
    const successor = { type: 'decision', title: 'Store sessions in SQLite' }
    await execute(context, createEntity, { ...successor, relations: ['supersedes:1'] })
    const { decisions } = await brief(context, { topic: 'sessions stored' })
    expect(decisions.map(({ number }) => number)).toEqual([2])
    // Nor by the code that was written for it.
    project.commit('Add a client', { 'src/client.ts': CLIENT })
    const region = { file: 'src/client.ts', anchor: 'parse', intent: 'Why' }
    await execute(context, annotateCode, { regions: [region], summary: 'Client', links: ['1'] })
    const about = await brief(context, { paths: ['src/client.ts'] })
    expect(about.code).toHaveLength(1)
    expect(about.decisions.map(({ number }) => number)).not.toContain(1)
  })

  it('are found by the words of a path', async () => {
    await using project = await setup()
    await decide(project.context, 'The lease table is never replicated', { status: 'accepted' })
    await decide(project.context, 'Blue buttons', { status: 'accepted' })
    const { decisions } = await brief(project.context, { paths: ['src/store/lease.ts'] })
    expect(decisions[0]?.number).toBe(1)
  })

  it('are open as long as nobody has answered them', async () => {
    await using project = await setup()
    const { context } = project
    const note = { type: 'note', title: 'Which port?', tags: ['question'] }
    await execute(context, createEntity, note)
    await decide(context, 'Use port 80')
    expect((await brief(context)).questions).toHaveLength(2)
    await execute(context, updateEntity, { id: '1', add_tags: ['answered'] })
    expect((await brief(context)).questions).toMatchObject([{ number: 2 }])
  })
})

it('open questions are the newest, however many were answered before, and all are counted', async () => {
  await using project = await setup()
  const operations = Array.from({ length: 58 }, (_, at) => ({
    op: 'create' as const,
    type: 'note',
    title: `Question ${at + 1}`,
    tags: at < 50 ? ['question', 'answered'] : ['question'],
  }))
  await execute(project.context, batchEntities, { operations })
  const { questions, left_out } = await brief(project.context)
  expect(questions.map(({ number }) => number)).toEqual([58, 57, 56, 55, 54, 53])
  expect(left_out).toEqual({ questions: 2 })
})

describe('what is known about the code at hand', () => {
  const FILE = 'src/client.ts'
  const regions = [
    { file: FILE, anchor: 'Client.connect', intent: 'Dial with bounded retries' },
    { file: FILE, anchor: 'parse', intent: 'An empty text is zero', kind: 'gotcha' as const },
  ]

  async function annotated() {
    const test = await setupCode()
    test.commit('Add a client', { [FILE]: CLIENT, 'README.md': 'Read me\n' })
    await decide(test.context, 'Blue buttons', { status: 'accepted' })
    await decide(test.context, 'Give up after three tries', { status: 'accepted' })
    await test.annotate({ summary: 'A client that retries on its own', regions, links: ['2'] })
    return test
  }

  it('is told of the files that are named: what was learned the hard way first', async () => {
    await using test = await annotated()
    const { code, decisions } = await brief(test.context, { paths: [FILE] })
    expect(code).toMatchObject([
      { file: FILE, at: 'parse', kind: 'gotcha', text: 'An empty text is zero', state: 'fresh' },
      { at: 'Client.connect', kind: 'intent' },
    ])
    expect(decisions[0]).toMatchObject({ number: 2, code: 'fresh' })
  })

  it('is told of what differs from the last commit when no file is named', async () => {
    await using test = await annotated()
    expect((await brief(test.context)).code).toEqual([])
    test.write({ [FILE]: CLIENT.replace('Number(text)', 'Number(text) + 1') })
    const found = await brief(test.context)
    expect(found.code[0]).toMatchObject({ at: 'parse', kind: 'gotcha', state: 'drifted' })
    expect(found.decisions[0]).toMatchObject({ number: 2, code: 'drifted' })
    expect(printForAgent(showBrief.show(found))).toMatch(
      /About this code:\n- src\/client.ts parse \[gotcha\]/,
    )
  })

  it('is left out where there is none, and a path that leads nowhere breaks nothing', async () => {
    await using project = await setup()
    expect(
      (await brief(project.context, { paths: [pathToOutside('/etc/passwd'), 'no.ts'] })).code,
    ).toEqual([])
    const elsewhere = { ...project.context, code: undefined } as unknown as Context
    expect((await brief(elsewhere, { paths: ['a.ts'] })).code).toEqual([])
  })
})

it('a brief keeps to its budget and says what it leaves out', async () => {
  await using project = await setup()
  for (let at = 1; at <= 40; at += 1) {
    await task(project.context, `Task ${at} with a title that is long enough to cost something`)
    await decide(project.context, `Decision ${at} about something else`, { status: 'accepted' })
  }
  for (const max_tokens of [200, 500, 2000]) {
    const found = await brief(project.as('one'), { max_tokens })
    expect(estimateTokens(JSON.stringify(found))).toBeLessThanOrEqual(max_tokens)
    expect(found.ready.length).toBeGreaterThan(0)
    expect(found.left_out.ready).toBe(40 - found.ready.length)
  }
})
