import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useRepository } from '../git/repository.ts'
import { createProject, type Workspace } from '../setup.ts'
import { command } from '../surface/command.ts'
import { connectLegacy, startHttp } from './http-server.ts'
import { connectOfficial, type OfficialClient } from './official-client.ts'

interface Listed {
  readonly id: string
  readonly name: string
  readonly presence: string
  readonly worktree: string
  readonly branch: string
  readonly held: readonly { readonly task: { readonly number: number } }[]
}

async function projectWithTask(): Promise<Workspace> {
  const repository = await createProject()
  await command(repository.directory, ['task', 'add', 'T'])
  return repository
}

function start(cwd: string): Promise<OfficialClient> {
  return connectOfficial(['serve'], { cwd, name: 'some-host' })
}

async function stop({ client, pid }: OfficialClient, signal: NodeJS.Signals): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve
  })
  process.kill(pid, signal)
  await closed
}

async function agentsOf(cwd: string): Promise<readonly Listed[]> {
  const { out } = await command(cwd, ['agent', 'list', '--json'])
  return (JSON.parse(out) as { agents: Listed[] }).agents
}

async function leasesOf(client: OfficialClient): Promise<readonly { readonly fence: number }[]> {
  const { leases = [] } = await client.call('brief')
  return leases as { fence: number }[]
}

const COMPLETE = { ids: ['1'], action: 'complete' }

describe('the next session of a host', () => {
  it.each(['a clean end', 'SIGTERM', 'SIGKILL'] as const)(
    'continues as the same agent after %s: it holds the task and completes it',
    async (end) => {
      await using repository = await projectWithTask()
      const { directory: cwd } = repository
      const first = await start(cwd)
      const { claimed } = await first.call('task_next', { claim: true })
      const { fence } = claimed as { fence: number }
      const [before] = await agentsOf(cwd)
      expect(before).toMatchObject({ name: 'some-host', presence: 'active' })
      if (end === 'a clean end') await first[Symbol.asyncDispose]()
      else await stop(first, end)
      expect(await agentsOf(cwd)).toMatchObject([{ id: before?.id, presence: 'gone' }])
      expect((await command(cwd, ['status'])).out).toMatch(/some-host\tgone\t/)

      await using second = await start(cwd)
      expect(await leasesOf(second)).toMatchObject([{ number: 1, fence: fence + 1 }])
      expect(await agentsOf(cwd)).toMatchObject([
        {
          id: before?.id,
          name: 'some-host',
          presence: 'active',
          held: [{ task: { number: 1 } }],
        },
      ])
      expect(await second.call('task_update', { ...COMPLETE, fence })).toMatchObject({
        tasks: [{ number: 1, status: 'done' }],
      })
    },
    120_000,
  )

  it('is one of two that start at once: only one of them holds the task [restart-has-one-successor]', async () => {
    await using repository = await projectWithTask()
    const { directory: cwd } = repository
    const first = await start(cwd)
    await first.call('task_next', { claim: true })
    await stop(first, 'SIGKILL')
    const successors = await Promise.all([start(cwd), start(cwd)])
    await using _one = successors[0]
    await using _other = successors[1]
    const leases = await Promise.all(successors.map(leasesOf))
    expect(leases.flat()).toHaveLength(1)
    const winner = leases.findIndex(({ length }) => length === 1)
    const [held, idle] = winner === 0 ? successors : successors.toReversed()
    expect(await idle?.result('task_update', COMPLETE)).toMatchObject({ isError: true })
    expect(await held?.result('task_update', COMPLETE)).toMatchObject({ isError: false })
  })

  it('is another agent in another worktree, and while the first one runs', async () => {
    await using repository = await projectWithTask()
    const { directory: cwd } = repository
    const worktree = join(cwd, 'side')
    await using code = useRepository(cwd)
    code.commit('first')
    code.git('worktree', 'add', '-b', 'feature', worktree)
    await using first = await start(cwd)
    await using beside = await start(cwd)
    await using elsewhere = await start(worktree)
    await first.call('task_next', { claim: true })
    for (const other of [beside, elsewhere]) expect(await leasesOf(other)).toEqual([])
    const agents = await agentsOf(cwd)
    expect(agents.map(({ name }) => name).toSorted()).toEqual([
      'some-host',
      'some-host-2',
      'some-host-3',
    ])
    expect(agents.filter(({ worktree }) => worktree === 'side')).toMatchObject([
      { branch: 'feature' },
    ])
    await stop(first, 'SIGKILL')
    await using second = await start(worktree)
    expect(await leasesOf(second)).toEqual([])
  })
})

it('a session over HTTP that its client has ended passes its tasks to the next one', async () => {
  await using repository = await projectWithTask()
  await using server = await startHttp(repository.directory)
  const connect = () => connectLegacy(`${server.origin}/mcp`, { token: server.secret })
  await using first = await connect()
  await first.call('task_next', { claim: true })
  await using beside = await connect()
  expect((await beside.call('brief')).structuredContent).not.toHaveProperty('leases')
  const headers = { 'mcp-session-id': first.sessionId ?? '' }
  await server.ask('/mcp', { method: 'DELETE', headers })
  await using second = await connect()
  expect((await second.call('brief')).structuredContent).toMatchObject({
    leases: [{ number: 1, fence: 2 }],
  })
  expect((await second.call('task_update', COMPLETE)).structuredContent).toMatchObject({
    tasks: [{ status: 'done' }],
  })
})

it('messages carry the names of agents', async () => {
  await using repository = await createProject()
  const { directory: cwd } = repository
  await using one = await start(cwd)
  await using other = await start(cwd)
  await one.call('inbox')
  await other.call('message_send', { body: 'hello', to: 'some-host' })
  expect((await one.result('inbox')).text).toContain('from some-host-2 ')
  expect(await one.call('brief')).toMatchObject({ messages: [{ from: 'some-host-2' }] })
  await one.call('message_send', { body: 'hello too', reply_to: 1 })
  expect((await other.result('inbox')).text).toContain('from some-host ')
})
