import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, describe, expect, it } from 'vitest'
import { createProject, createRepository, type Workspace } from '../setup.ts'
import { command } from '../surface/command.ts'
import { startServer } from './binary.ts'
import { connectOfficial, type OfficialClient } from './official-client.ts'

type Fields = Record<string, unknown>

const SPEC = `project: { name: demo }
tasks:
  T001: { title: First, priority: 1, status: ready, acceptance_criteria: [it works] }
  T002: { title: Second, priority: 2, status: ready, depends_on: [T001] }
`

/** A repository with two tasks, the second of which waits for the first. */
async function repositoryWithSpec(): Promise<Workspace> {
  template ??= importSpec()
  const repository = createRepository()
  cpSync((await template).directory, repository.directory, { recursive: true })
  return repository
}

let template: Promise<Workspace> | undefined
afterAll(async () => await (await template)?.[Symbol.asyncDispose]())

async function importSpec(): Promise<Workspace> {
  const repository = await createProject()
  const { directory } = repository
  writeFileSync(join(directory, 'spec.yaml'), SPEC)
  const { exit, err } = await command(directory, ['task', 'import', 'lodestar', 'spec.yaml'])
  if (exit !== 0) throw new Error(err)
  return repository
}

/** A host that starts the server from a folder of its own, as hosts do. */
function host(repo: string, ...args: readonly string[]): Promise<OfficialClient> {
  return connectOfficial(['mcp', 'serve', '--repo', repo, ...args], { cwd: '/' })
}

async function joinAs(client: OfficialClient, name: string): Promise<string> {
  const { agentId } = await client.call('lodestar.agent.join', { name })
  return String(agentId)
}

describe('Lodestar acceptance criteria', () => {
  it('1. mcp serve --repo starts and completes MCP initialization [lodestar-1-mcp]', async () => {
    await using repository = await repositoryWithSpec()
    await using client = await host(repository.directory)
    expect(client.client.getServerVersion()).toMatchObject({ name: 'lodestar' })
    expect((await client.client.listTools()).tools).toHaveLength(16)
    expect((await client.client.listResources()).resources).toHaveLength(2)
    expect((await client.client.listPrompts()).prompts).toHaveLength(2)
  })

  it('2. a client can list tools and invoke join → next → claim → get/context → done → verify [lodestar-2-client]', async () => {
    await using repository = await repositoryWithSpec()
    await using client = await host(repository.directory)
    const agentId = await joinAs(client, 'ann')
    const next = await client.call('lodestar.task.next', { agentId })
    expect(next).toMatchObject({ candidates: [{ id: 'T001', title: 'First' }] })
    const taskId = 'T001'
    expect(await client.call('lodestar.task.claim', { taskId, agentId })).toMatchObject({
      ok: true,
      lease: { taskId, agentId, ttlSeconds: 900 },
    })
    expect(await client.call('lodestar.task.get', { taskId })).toMatchObject({
      task: { acceptanceCriteria: ['it works'] },
      runtime: { claimedBy: agentId },
    })
    expect(await client.call('lodestar.task.context', { taskId })).toMatchObject({
      context: { taskId },
    })
    expect(
      await client.call('lodestar.task.done', { taskId, agentId, note: 'all tests pass' }),
    ).toMatchObject({ ok: true, status: 'done' })
    expect(await client.call('lodestar.task.verify', { taskId, agentId })).toMatchObject({
      ok: true,
      status: 'verified',
      newlyReadyTaskIds: ['T002'],
    })
  })

  it('3. state transitions are kept by the store and unblock dependencies, also for other processes [lodestar-3-state]', async () => {
    await using repository = await repositoryWithSpec()
    {
      await using client = await host(repository.directory)
      const agentId = await joinAs(client, 'ann')
      const blocked = await client.result('lodestar.task.claim', { taskId: 'T002', agentId })
      expect(blocked).toMatchObject({
        isError: true,
        structured: { error_code: 'TASK_NOT_CLAIMABLE', details: { unmet_dependencies: ['T001'] } },
      })
      await client.call('lodestar.task.done', { taskId: 'T001', agentId })
      expect(await client.call('lodestar.task.next', {})).toMatchObject({ candidates: [] })
      await client.call('lodestar.task.verify', { taskId: 'T001', agentId })
    }
    await using restarted = await host(repository.directory)
    expect(await restarted.call('lodestar.task.next', {})).toMatchObject({
      candidates: [{ id: 'T002' }],
    })
    const { out } = await command(repository.directory, ['task', 'get', 'T001', '--json'])
    expect(JSON.parse(out)).toMatchObject({ status: 'done', verified: true })
  })

  it('4. two clients coordinate: one claims, the other cannot until it is released [lodestar-4-two]', async () => {
    await using repository = await repositoryWithSpec()
    await using a = await host(repository.directory)
    await using b = await host(repository.directory)
    const ann = await joinAs(a, 'ann')
    const bob = await joinAs(b, 'bob')
    await a.call('lodestar.task.claim', { taskId: 'T001', agentId: ann })
    expect(await b.call('lodestar.task.claim', { taskId: 'T001', agentId: bob })).toMatchObject({
      ok: false,
      conflict: { claimedByAgentId: ann },
    })
    expect(await a.call('lodestar.task.release', { taskId: 'T001', agentId: ann })).toMatchObject({
      ok: true,
      previousLease: { agentId: ann },
    })
    expect(await b.call('lodestar.task.claim', { taskId: 'T001', agentId: bob })).toMatchObject({
      ok: true,
    })
  })

  it('4. two clients coordinate: one sends a message, the other reads and acknowledges it [lodestar-4-two-clients]', async () => {
    await using repository = await repositoryWithSpec()
    await using a = await host(repository.directory)
    await using b = await host(repository.directory)
    const ann = await joinAs(a, 'ann')
    const bob = await joinAs(b, 'bob')
    const sent = await a.call('lodestar.message.send', {
      fromAgentId: ann,
      toAgentId: bob,
      taskId: 'T001',
      subject: 'Over to you',
      body: 'Please finish it',
      severity: 'handoff',
    })
    expect(sent).toMatchObject({ ok: true, deliveredTo: [bob] })
    const inbox = await b.call('lodestar.message.list', { agentId: bob })
    expect(inbox['messages']).toMatchObject([
      { id: sent['messageId'], from: ann, to: bob, taskId: 'T001', severity: 'handoff' },
    ])
    const messageIds = [sent['messageId']]
    expect(await b.call('lodestar.message.ack', { agentId: bob, messageIds })).toEqual({
      ok: true,
      updated: 1,
    })
    expect(await b.call('lodestar.message.list', { agentId: bob })).toEqual({ messages: [] })
  })

  it('5. events.pull returns a monotonic stream and allows incremental consumption [lodestar-5-events]', async () => {
    await using repository = await repositoryWithSpec()
    await using a = await host(repository.directory)
    await using b = await host(repository.directory)
    const agentId = await joinAs(a, 'ann')
    await a.call('lodestar.task.claim', { taskId: 'T001', agentId })
    await a.call('lodestar.task.done', { taskId: 'T001', agentId })
    const seen: Fields[] = []
    for (let cursor = 0; ;) {
      const page = await b.call('lodestar.events.pull', { sinceCursor: cursor, limit: 2 })
      const events = page['events'] as Fields[]
      if (events.length === 0) break
      seen.push(...events)
      expect(page['nextCursor']).toBe(events.at(-1)?.['id'])
      cursor = Number(page['nextCursor'])
    }
    expect(seen.map(({ id }) => id)).toEqual(seen.map((_, at) => at + 1))
    const types = seen.map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['agent.joined', 'task.claimed', 'task.done']))
    const only = await b.call('lodestar.events.pull', { filterTypes: ['task.claimed'] })
    expect(only['events']).toMatchObject([{ taskId: 'T001', actorAgentId: agentId }])
  })

  it('6. logs go to stderr and the log file, as JSON if wanted, and never to stdout [lodestar-6-logs]', async () => {
    await using repository = await repositoryWithSpec()
    const logFile = join(repository.directory, 'serve.log')
    const args = ['--dialect', 'lodestar', '--log-file', logFile, '--json-logs']
    const server = await startServer(repository.directory, args)
    await server.request('tools/call', { name: 'lodestar.task.list', arguments: {} })
    await server.request('tools/call', { name: 'lodestar.task.get', arguments: { taskId: 'T9' } })
    server.child.stdin.end()
    await server.closed
    for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
    const logged = server.log.text.trim().split('\n')
    const entries = logged.map((line) => JSON.parse(line) as Fields)
    expect(entries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ level: 'info', message: 'client connected', client: 'e2e' }),
        expect.objectContaining({ level: 'warn', message: 'refused' }),
      ]),
    )
    expect(readFileSync(logFile, 'utf8').trim().split('\n')).toEqual(logged)
  })

  it('7. a host without push can follow everything by polling events.pull [lodestar-7-host]', async () => {
    await using repository = await repositoryWithSpec()
    await using a = await host(repository.directory)
    await using b = await host(repository.directory)
    const ann = await joinAs(a, 'ann')
    const bob = await joinAs(b, 'bob')
    let cursor = 0
    const poll = async (): Promise<unknown[]> => {
      const page = await b.call('lodestar.events.pull', { sinceCursor: cursor })
      cursor = Number(page['nextCursor'])
      return (page['events'] as Fields[]).map(({ type }) => type)
    }
    await poll()
    await a.call('lodestar.task.claim', { taskId: 'T001', agentId: ann })
    expect(await poll()).toEqual(['task.claimed'])
    await a.call('lodestar.message.send', { fromAgentId: ann, toAgentId: bob, body: 'hello' })
    expect(await poll()).toEqual(['message.sent'])
    await a.call('lodestar.task.done', { taskId: 'T001', agentId: ann })
    await a.call('lodestar.task.verify', { taskId: 'T001', agentId: ann })
    expect(await poll()).toEqual(['task.done', 'task.verified'])
    expect(await poll()).toEqual([])
  })
})

describe('Lodestar requirements', () => {
  it('R2. outside of a repository the server starts and every tool says what is wrong [lodestar-r2-outside]', async () => {
    await using client = await connectOfficial(['mcp', 'serve'], { cwd: '/tmp' })
    const { isError, structured } = await client.result('lodestar.task.list')
    expect(isError).toBe(true)
    expect(structured).toMatchObject({ error_code: 'NOT_INITIALISED' })
    expect(structured['error']).toContain('waymark init')
  })

  it('R2. the repository is found from a folder inside of it, and no other can be named [lodestar-r2-repository]', async () => {
    await using repository = await repositoryWithSpec()
    await using other = await repositoryWithSpec()
    const folder = join(repository.directory, 'src', 'deep')
    mkdirSync(folder, { recursive: true })
    await using client = await connectOfficial(['mcp', 'serve'], { cwd: folder })
    expect(await client.call('lodestar.repo.status', { repo: repository.directory })).toMatchObject(
      {
        repoRoot: repository.directory,
      },
    )
    const refused = await client.result('lodestar.repo.status', { repo: other.directory })
    expect(refused.isError).toBe(true)
  })

  it('R4. another process’s change is pushed to whoever watches the task [lodestar-r4-another]', async () => {
    await using repository = await repositoryWithSpec()
    await using a = await host(repository.directory)
    await using b = await host(repository.directory)
    const pushed = new Promise<string>((resolve) =>
      b.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
        resolve(params.uri),
      ),
    )
    await b.client.subscribeResource({ uri: 'lodestar://task/T001' })
    const agentId = await joinAs(a, 'ann')
    await a.call('lodestar.task.claim', { taskId: 'T001', agentId })
    expect(await pushed).toBe('lodestar://task/T001')
  })

  it('two clients claim at the same time, again and again: one of them gets it each time [lodestar-two-clients]', async () => {
    await using repository = await repositoryWithSpec()
    await using a = await host(repository.directory)
    await using b = await host(repository.directory)
    const ann = await joinAs(a, 'ann')
    const bob = await joinAs(b, 'bob')
    // Fewer than it takes to set a task aside that is begun over and over.
    for (let round = 0; round < 15; round += 1) {
      const [first, second] = await Promise.all([
        a.call('lodestar.task.claim', { taskId: 'T001', agentId: ann }),
        b.call('lodestar.task.claim', { taskId: 'T001', agentId: bob }),
      ])
      expect([first['ok'], second['ok']].filter((ok) => ok === true)).toHaveLength(1)
      const [winner, agentId] = first['ok'] === true ? [a, ann] : [b, bob]
      await winner.call('lodestar.task.release', { taskId: 'T001', agentId })
    }
  })
})
