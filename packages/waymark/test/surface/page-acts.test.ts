import { expect, it } from 'vitest'
import { setupLive } from './live-site.ts'

it('of two editors of one text the later one is told, and nothing is lost [page-two-editors]', async () => {
  await using live = await setupLive()
  await live.call('entity.create', { type: 'decision', title: 'Sessions' })
  const revision = Number((await live.call('entity.get', { id: '1' }))['revision'])
  const edit = (content: string, headers?: object) =>
    live.send('entity.update', { id: '1', content, expected_revision: revision }, headers)
  expect((await edit('in SQLite', live.agent('ada'))).status).toBe(200)
  const late = await edit('in memory')
  expect(late).toMatchObject({
    status: 409,
    body: {
      error: {
        code: 'conflict',
        details: {
          reason: 'changed_meanwhile',
          revision: revision + 1,
          changed_by: 'ada',
          present: { content: 'in SQLite' },
        },
      },
    },
  })
  const task = await live.call('task.create', { title: 'Login' })
  const seen = (task['task'] as { revision: number }).revision
  await live.call('task.update', { id: '2', title: 'Sign in' }, live.agent('ada'))
  for (const [name, input] of [
    ['task.update', { id: '2', title: 'x' }],
    ['task.complete', { id: '2' }],
  ] as const) {
    const { status } = await live.send(name, { ...input, expected_revision: seen })
    expect(status, name).toBe(409)
  }
  const bulk = await live.send('task.edit', {
    edits: [{ id: '2', action: 'complete', expected_revision: seen }],
  })
  expect(bulk.status).toBe(409)
  expect(await live.call('task.get', { id: '2' })).toMatchObject({
    title: 'Sign in',
    status: 'todo',
  })
})

it('a task that the person takes back is lost to its agent, and the history says who did it [page-take-back]', async () => {
  await using live = await setupLive()
  await live.call('task.create', { title: 'Login' })
  const claimed = await live.call('task.claim', { id: '1' }, live.agent('ada'))
  const { fence } = claimed['lease'] as { fence: number }
  const reason = 'the plan has changed'
  const byAgent = await live.send('task.take_back', { id: '1', reason }, live.agent('bo'))
  expect(byAgent).toMatchObject({ status: 403 })
  const { released, task } = await live.call('task.take_back', { id: '1', reason })
  expect([released, task]).toMatchObject([{ agent_name: 'ada' }, { status: 'todo' }])
  const write = { id: '1', title: 'Mine', fence }
  const late = await live.send('task.update', write, live.agent('ada'))
  expect(late).toMatchObject({ status: 409, body: { error: { code: 'lease_lost' } } })
  const { events } = await live.call('event.list', { types: ['lease.ended'] })
  expect(events).toMatchObject([{ agent_id: 'owner', data: { how: 'force', reason } }])
  expect(await live.send('task.take_back', { id: '1', reason })).toMatchObject({
    status: 409,
    body: { error: { details: { reason: 'not_held' } } },
  })
})

it('an answer in the page closes the question and reaches the agent that waits [page-answer]', async () => {
  await using live = await setupLive()
  const ada = live.agent('ada')
  await live.call('message.send', { body: 'Which format?', to: 'owner' }, ada)
  const { latest } = await live.call('event.list', {})
  const waiting = live.call('event.wait', { since: latest, types: ['message.sent'] }, ada)
  const { questions } = (await live.call('status.show', {})) as { questions: { id: number }[] }
  await live.call('message.answer', { question: `m${questions[0]?.id}`, body: 'JSON' })
  expect(await waiting).toMatchObject({ events: [{ type: 'message.sent', agent_id: 'owner' }] })
  const { messages } = await live.call('message.list', {}, ada)
  expect(messages).toMatchObject([{ body: 'JSON' }])
  expect(await live.call('status.show', {})).toMatchObject({ questions: [] })
})

it('the person in the page sees every conversation, an agent only its own [page-all-messages]', async () => {
  await using live = await setupLive()
  await live.call('agent.join', { name: 'bo' }, live.agent('bo'))
  await live.call('message.send', { body: 'the parser is yours', to: 'bo' }, live.agent('ada'))
  const mine = await live.call('message.list', { all: true })
  expect(mine['messages']).toMatchObject([{ body: 'the parser is yours' }])
  expect(await live.send('message.list', { all: true }, live.agent('cyd'))).toMatchObject({
    status: 403,
    body: { error: { details: { reason: 'not_the_person' } } },
  })
})
