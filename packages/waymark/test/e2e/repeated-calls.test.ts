import { describe, expect, it } from 'vitest'
import { createProject } from '../setup.ts'
import { command } from '../surface/command.ts'
import { type ServerProcess, startServer, waymark } from './binary.ts'
import { startHttp } from './http-server.ts'

type Fields = Record<string, unknown>

async function projectWithTasks(...titles: string[]) {
  const repository = await createProject()
  for (const title of titles) await command(repository.directory, ['task', 'add', title])
  return repository
}

async function call(server: ServerProcess, name: string, args: Fields): Promise<Fields> {
  const { result } = await server.request('tools/call', { name, arguments: args })
  return (result as { structuredContent: Fields }).structuredContent
}

async function take(server: ServerProcess, key = 'take-1') {
  return await call(server, 'task_next', { claim: true, idempotency_key: key })
}

describe('servers of hosts with the same name, at the same time', () => {
  it('claim different tasks under the same key', async () => {
    await using repository = await projectWithTasks('A', 'B')
    await using one = await startServer(repository.directory)
    await using other = await startServer(repository.directory)
    const claimed = [await take(one), await take(other)]
    expect(claimed).toMatchObject([{ claimed: { number: 1 } }, { claimed: { number: 2 } }])
    // Each finds its own answer again.
    expect([await take(one), await take(other)]).toMatchObject(claimed)
  })

  it('send a message each under the same key', async () => {
    await using repository = await projectWithTasks()
    await using one = await startServer(repository.directory)
    await using other = await startServer(repository.directory)
    const message = { body: 'done', idempotency_key: 'say-1' }
    for (const server of [one, other, one, other]) await call(server, 'message_send', message)
    const { out: events } = await command(repository.directory, [
      'events',
      '--type',
      'message.sent',
      '--json',
    ])
    expect((JSON.parse(events) as { events: unknown[] }).events).toHaveLength(2)
  })
})

describe('a server that is started again after it was killed', () => {
  it('finds the answer that was lost, and holds what it claimed', async () => {
    await using repository = await projectWithTasks('A', 'B')
    const { directory } = repository
    await using first = await startServer(directory)
    const note = { type: 'note', title: 'once', idempotency_key: 'note-1' }
    await take(first)
    const created = await call(first, 'entity_create', note)
    first.child.kill('SIGKILL')
    await first.closed
    await using second = await startServer(directory)
    const { claimed } = await take(second)
    expect(claimed).toMatchObject({ number: 1 })
    expect(await call(second, 'entity_create', note)).toEqual(created)
    const { fence } = claimed as { fence: number }
    const done = { ids: ['1'], action: 'complete', fence }
    expect(await call(second, 'task_update', done)).toMatchObject({ tasks: [{ status: 'done' }] })
  })

  it('shares no answer with a third one that runs beside it', async () => {
    await using repository = await projectWithTasks('A', 'B')
    const { directory } = repository
    await using first = await startServer(directory)
    await take(first)
    first.child.kill('SIGKILL')
    await first.closed
    await using second = await startServer(directory)
    await using third = await startServer(directory)
    expect(await take(second)).toMatchObject({ claimed: { number: 1 } })
    expect(await take(third)).toMatchObject({ claimed: { number: 2 } })
  })
})

it('agents behind one secret have keys of their own over HTTP [repeated-calls-agents-behind]', async () => {
  await using repository = await projectWithTasks('A', 'B')
  await using server = await startHttp(repository.directory)
  const takeAs = async (agent: string): Promise<unknown> => {
    const headers = {
      authorization: `Bearer ${server.secret}`,
      'content-type': 'application/json',
      'waymark-agent': agent,
      'idempotency-key': 'k1',
    }
    const reply = await server.ask('/api/task.take', { method: 'POST', headers, body: '{}' })
    const { claimed } = (await reply.json()) as { claimed: { task: { number: number } } }
    return claimed.task.number
  }
  const taken = [
    await takeAs('alice'),
    await takeAs('bob'),
    await takeAs('alice'),
    await takeAs('bob'),
  ]
  expect(taken).toEqual([1, 2, 1, 2])
})

it('a command that is repeated by the same actor has its effect once', async () => {
  await using repository = await createProject()
  const { directory } = repository
  const add = async (actor: string) => {
    const key = ['--idempotency-key', 'k1', '--actor', actor, '--json']
    return JSON.parse((await waymark(directory, ['task', 'add', 'A', ...key])).out) as {
      task: { number: number }
    }
  }
  const numbers = []
  for (const actor of ['ada', 'ada', 'bob']) numbers.push((await add(actor)).task.number)
  expect(numbers).toEqual([1, 1, 2])
})
