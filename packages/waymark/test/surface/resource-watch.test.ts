import { basename } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { eventsOf, LegacyClient } from '../../../baton/test/http/http-client.ts'
import { execute } from '../../src/core/execute.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { initialiseProject } from '../../src/core/project/project.ts'
import { createProjectPool } from '../../src/core/project/project-pool.ts'
import { createMissingStore } from '../../src/core/project/missing-store.ts'
import { Failure } from '../../src/core/error.ts'
import { RESOURCES } from '../../src/dialects/lodestar/resources.ts'
import { SILENT } from '../../src/support/logger.ts'
import { ResourceWatch } from '../../src/surfaces/mcp/resource-watch.ts'
import { createTask } from '../../src/task/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { connect, type DialectClient, type Fields } from '../dialects/client.ts'
import { createRepository, setup } from '../setup.ts'
import { createTestSite, type TestSite } from './test-site.ts'

async function open(site: TestSite, path: string, sessionId?: string): Promise<LegacyClient> {
  const options = {
    url: `http://localhost${path}`,
    send: site.site.fetch,
    headers: { authorization: `Bearer ${site.secret}` },
  }
  if (sessionId === undefined) return await LegacyClient.connect(options)
  const client = new LegacyClient(options)
  client.sessionId = sessionId
  return client
}

const CREATE = { name: 'entity_create', arguments: { type: 'task', title: 'T' } }

describe('a session that comes back after a restart', () => {
  it.each([
    'medulla://tasks/due/2026-11-20',
    'medulla://context/tea',
    'medulla://tasks?limit=5',
    'medulla://entities/tasks',
  ])('is told of what it watched: %s', async (uri) => {
    await using project = await setup()
    let sessionId: string | undefined
    {
      await using before = createTestSite(project.directory)
      const client = await open(before, '/mcp/medulla')
      expect(await client.call('resources/subscribe', { uri })).toMatchObject({ result: {} })
      ;({ sessionId } = client)
    }
    await using after = createTestSite(project.directory)
    const client = await open(after, '/mcp/medulla', sessionId)
    expect(await client.call('tools/call', CREATE)).toMatchObject({ result: {} })
    const events = eventsOf(await client.get())
    for await (const { data } of events) {
      if (data === '') continue
      expect(JSON.parse(data)).toMatchObject({ params: { uri } })
      break
    }
  })
})

it('the same dialect with more tools has sessions of its own', async () => {
  await using project = await setup()
  await using site = createTestSite(project.directory)
  const { sessionId } = await open(site, '/mcp/ultragit')
  const elsewhere = await open(site, '/mcp/ultragit-write', sessionId)
  expect((await elsewhere.request('ping')).status).toBe(404)
})

describe('events that concern other tasks', () => {
  const [status, second] = ['lodestar://status', 'lodestar://task/2']

  /** A project with two tasks, the second of which waits for the first, and what subscribers are told of. */
  async function watchTasks(...subscribed: readonly string[]) {
    const project = await setup()
    const { context } = project
    await execute(context, createTask, { title: 'First' })
    await execute(context, createTask, { title: 'Second', depends_on: ['1'] })
    const told: string[] = []
    const watch = new ResourceWatch({
      logger: SILENT,
      resources: RESOURCES.listed,
      offersPrompts: false,
      tellers: [],
    })
    const none = () => {}
    watch.start({
      resourcesUpdated: (isUpdated) => told.push(...subscribed.filter((uri) => isUpdated(uri))),
      resourceUpdated: none,
      toolsChanged: none,
      promptsChanged: none,
      resourcesChanged: none,
      log: none,
    })
    await watch.followHome(context.store)
    return { project, told, reads: vi.spyOn(context.store.relations, 'of') }
  }

  it('cost nothing without a subscriber of a task [resource-watch-cheap]', async () => {
    const { project, told, reads } = await watchTasks(status)
    await using _ = project
    await execute(project.context, completeTask, { id: '1' })
    await vi.waitFor(() => expect(told).toContain(status))
    expect(reads).not.toHaveBeenCalled()
  })

  it('are read together, and later, without any subscriber [resource-watch-unawaited]', async () => {
    const { project } = await watchTasks()
    await using _ = project
    const { context } = project
    const reads = vi.spyOn(context.store.events, 'after')
    for (const title of ['A', 'B', 'C'])
      await execute(context, createEntity, { type: 'note', title })
    await vi.waitFor(() => expect(reads).toHaveBeenCalled())
    expect(reads).toHaveBeenCalledTimes(1)
    expect(await reads.mock.results[0]?.value).toHaveLength(3)
  })

  it('are told after a read that failed [resource-watch-retried]', async () => {
    const { project, told, reads } = await watchTasks(status, second)
    await using _ = project
    reads.mockRejectedValueOnce(new Error('disk'))
    await execute(project.context, completeTask, { id: '1' })
    await vi.waitFor(() => expect(reads).toHaveBeenCalled())
    await execute(project.context, createEntity, { type: 'note', title: 'N' })
    await vi.waitFor(() => expect(told).toContain(second))
  })
})

const STATUS = { uri: 'lodestar://status' }

const isUpdate = (message: object): boolean =>
  (message as Fields)['method'] === 'notifications/resources/updated'

async function startIn(directories: readonly [string, ...string[]]): Promise<DialectClient> {
  const store = createMissingStore(new Failure('not_initialised', 'there is no project here'))
  const projects = createProjectPool(directories)
  const client = await connect('lodestar', { server: { store, home: directories[0], projects } })
  return {
    ...client,
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]()
      await projects[Symbol.asyncDispose]()
    },
  }
}

describe('a server that was started before there was a project', () => {
  it.each([
    ['by no name', () => ({})],
    [
      'by the name of its folder',
      (directory: string) => ({ 'waymark/project': basename(directory) }),
    ],
  ])('tells of what happens there once there is one, first asked for %s', async (_, toMeta) => {
    await using repository = createRepository()
    await using client = await startIn([repository.directory])
    const params = { ...STATUS, _meta: toMeta(repository.directory) }
    expect(await client.request('resources/subscribe', params)).toHaveProperty('error')
    await initialiseProject(repository.directory)
    await client.request('logging/setLevel', { level: 'info' })
    expect(await client.request('resources/subscribe', params)).toHaveProperty('result')
    await client.call('lodestar.agent.join', { name: 'ann' })
    expect(await client.client.next(isUpdate)).toMatchObject({ params: STATUS })
    await client.client.next((message) => message['method'] === 'notifications/message')
  })

  it('tells of what is watched in a project that a client has named', async () => {
    await using repository = createRepository()
    await using other = await setup()
    await using client = await startIn([repository.directory, other.directory])
    const _meta = { 'waymark/project': other.directory }
    const params = { ...STATUS, _meta }
    expect(await client.request('resources/subscribe', params)).toHaveProperty('result')
    await execute(other.context, createEntity, { type: 'task', title: 'T' })
    expect(await client.client.next(isUpdate)).toMatchObject({ params: STATUS })
  })
})
