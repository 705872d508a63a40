import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openProject } from '../../src/core/project/project.ts'
import { createProjectPool } from '../../src/core/project/project-pool.ts'
import { createProject } from '../setup.ts'
import { type ServerProcess, startServer, waymark } from './binary.ts'
import { connectOfficial, type OfficialClient } from './official-client.ts'

type Fields = Record<string, unknown>

function claude(cwd: string, ...args: readonly string[]): Promise<OfficialClient> {
  return connectOfficial(['serve', '--dialect', 'tasky', ...args], { cwd })
}

async function create(client: OfficialClient, ...tasks: readonly Fields[]): Promise<Fields[]> {
  const { created } = await client.call('create_tasks', { tasks })
  return created as Fields[]
}

function edit(client: OfficialClient, ...operations: readonly Fields[]): Promise<Fields> {
  return client.call('edit_tasks', { operations })
}

describe('Requirement: MCP Server Implementation', () => {
  it('Scenario: Claude creates a task via MCP [tasky-scenario-claude]', async () => {
    await using repository = await createProject()
    let id: unknown
    {
      await using client = await claude(repository.directory)
      const [task] = await create(client, { name: 'Buy groceries', details: 'Milk, eggs' })
      expect(task).toMatchObject({
        name: 'Buy groceries',
        details: 'Milk, eggs',
        status: 'pending',
        created_at: expect.stringMatching(/Z$/),
        updated_at: task?.['created_at'],
      })
      id = task?.['task_id']
    }
    await using later = await claude(repository.directory)
    expect(await later.call('get_tasks', { task_ids: [id] })).toMatchObject({
      tasks: [{ name: 'Buy groceries' }],
    })
  })

  it('Scenario: Claude lists tasks with filters via MCP [tasky-scenario-claude-lists]', async () => {
    await using repository = await createProject()
    await using client = await claude(repository.directory)
    const tasks = Array.from({ length: 7 }, (_, at) => ({ name: `urgent ${at}`, priority: 4 }))
    const [first] = await create(client, ...tasks, { name: 'calm' })
    await edit(client, { task_id: first?.['task_id'], action: 'complete' })
    const query = { status: 'pending', search: 'urgent' }
    const page = await client.call('search_tasks', { ...query, limit: 4 })
    const rest = await client.call('search_tasks', { ...query, limit: 4, offset: 4 })
    expect([page['total_count'], rest['total_count']]).toEqual([6, 6])
    const names = [page, rest].flatMap(({ tasks }) => (tasks as Fields[]).map(({ name }) => name))
    expect(names).toEqual([1, 2, 3, 4, 5, 6].map((at) => `urgent ${at}`))
  })

  it('Scenario: Service instances are cached per-project [tasky-scenario-service]', async () => {
    await using one = await createProject()
    await using two = await createProject()
    await using pool = createProjectPool([one.directory, two.directory])
    const opened = await pool.open(one.directory)
    expect(await pool.open(basename(one.directory))).toBe(opened)
    expect(await pool.open(two.directory)).not.toBe(opened)

    const args = ['--project', one.directory, '--project', two.directory]
    await using client = await connectOfficial(['serve', '--dialect', 'tasky', ...args], {
      cwd: '/',
    })
    const call = async (name: string, given: Fields, where?: string) =>
      (await client.client.callTool({
        name,
        arguments: given,
        ...(where !== undefined && { _meta: { 'waymark/project': where } }),
      })) as { isError?: boolean; structuredContent: Fields }
    await call('create_tasks', { tasks: [{ name: 'in one' }] })
    await call('create_tasks', { tasks: [{ name: 'in two' }] }, basename(two.directory))
    const found = await call('search_tasks', {}, two.directory)
    expect(found.structuredContent).toMatchObject({ tasks: [{ name: 'in two' }], total_count: 1 })
    const elsewhere = await call('search_tasks', {}, '/etc')
    expect(elsewhere).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'validation_error' } },
    })
  })

  it('Scenario: Request IDs enable tracing [tasky-scenario-request]', async () => {
    await using repository = await createProject()
    await using client = await claude(repository.directory)
    const ids: string[] = []
    for (let call = 0; call < 3; call += 1) {
      const { isError, structured, text } = await client.result('get_tasks', { task_ids: ['ffff'] })
      expect(isError).toBe(true)
      const id = String((structured['error'] as Fields)['request_id'])
      expect(text).toContain(`[${id}]`)
      ids.push(id)
    }
    expect(new Set(ids).size).toBe(3)
    // Standard error is another pipe than the answer: its last line may arrive later.
    const traced = () => {
      const refused = client.log.text.split('\n').filter((line) => line.includes('refused'))
      return refused.map((line) => /request_id="([^"]+)"/.exec(line)?.[1])
    }
    await expect.poll(traced).toEqual(ids)
  })
})

describe('Requirement: Minimal Core Tools (5 tools total)', () => {
  it('Scenario: Claude manages multiple related tasks [tasky-scenario-claude-manages]', async () => {
    await using repository = await createProject()
    await using client = await claude(repository.directory)
    const urgent = [1, 2, 3].map((at) => ({
      name: `urgent ${at}`,
      priority: 5,
      due_date: '2026-12-01',
    }))
    await create(client, ...urgent, { name: 'later' })
    const found = await client.call('search_tasks', { status: 'pending', search: 'urgent' })
    const compact = {
      task_id: expect.any(String),
      name: expect.stringMatching(/^urgent/),
      status: 'pending',
      priority: 5,
      due_date: '2026-12-01',
    }
    expect(found).toEqual({ tasks: [compact, compact, compact], total_count: 3 })
  })

  it('Scenario: Claude understands task complexity before acting [tasky-scenario-claude-understands]', async () => {
    await using repository = await createProject()
    await using client = await claude(repository.directory)
    const [whole, blocker] = await create(client, { name: 'Whole' }, { name: 'Blocker' })
    const [part] = await create(client, {
      name: 'Part',
      details: 'all of it',
      blocked_by: [blocker?.['task_id']],
      subtask_of: whole?.['task_id'],
    })
    const { tasks } = await client.call('get_tasks', {
      task_ids: [part?.['task_id'], whole?.['task_id']],
    })
    expect(tasks).toMatchObject([
      {
        details: 'all of it',
        blockers: [{ task_id: blocker?.['task_id'], status: 'pending' }],
        blocked_by: [blocker?.['task_id']],
        subtask_of: [{ task_id: whole?.['task_id'] }],
      },
      { subtasks: [{ task_id: part?.['task_id'] }] },
    ])
  })

  it('Scenario: Claude creates multiple tasks [tasky-scenario-claude-creates]', async () => {
    await using repository = await createProject()
    await using client = await claude(repository.directory)
    const created = await create(client, ...[1, 2, 3, 4, 5].map((at) => ({ name: `T${at}` })))
    expect(new Set(created.map(({ task_id }) => task_id)).size).toBe(5)
    const broken = [{ name: 'T6' }, { name: 'T7', subtask_of: 'ffffffff' }]
    expect(await client.result('create_tasks', { tasks: broken })).toMatchObject({ isError: true })
    expect(await client.call('search_tasks', {})).toMatchObject({ total_count: 5 })
  })

  it('Scenario: Claude modifies multiple tasks atomically [tasky-scenario-claude-modifies]', async () => {
    await using repository = await createProject()
    await using client = await claude(repository.directory)
    const [a, b, c, d] = await create(client, ...'abcd'.split('').map((name) => ({ name })))
    const operations = [
      { task_id: a?.['task_id'], action: 'update', priority: 1 },
      { task_id: b?.['task_id'], action: 'update', priority: 2 },
      { task_id: c?.['task_id'], action: 'update', priority: 3 },
      { task_id: d?.['task_id'], action: 'complete' },
    ]
    const wrong = [...operations, { task_id: 'ffffffff', action: 'delete' }]
    const refused = await client.result('edit_tasks', { operations: wrong })
    expect(refused.structured).toMatchObject({ error: { code: 'task_error', index: 4 } })
    expect(await client.call('search_tasks', { status: 'completed' })).toMatchObject({
      total_count: 0,
    })
    expect(await edit(client, ...operations)).toMatchObject({
      edited: [{ priority: 1 }, { priority: 2 }, { priority: 3 }, { status: 'completed' }],
    })
  })

  it('Scenario: Claude respects project scope [tasky-scenario-claude-respects]', async () => {
    await using repository = await createProject()
    await using client = await claude(repository.directory)
    const [task] = await create(client, { name: 'A' })
    const { available_statuses: statuses } = await client.call('project_info')
    expect(statuses).toEqual(['pending', 'completed', 'cancelled'])
    for (const status of [...(statuses as string[]).slice(1), 'pending']) {
      if (status === 'cancelled') {
        await edit(client, { task_id: task?.['task_id'], action: 'update', status: 'pending' })
      }
      const changed = await edit(client, { task_id: task?.['task_id'], action: 'update', status })
      expect(changed).toMatchObject({ edited: [{ status }] })
    }
    const refused = await client.result('search_tasks', { status: 'in_progress' })
    expect(refused.structured).toMatchObject({ error: { code: 'validation_error' } })
  })

  it('Delete semantics: permanent, confirmed and audited [tasky-delete-semantics]', async () => {
    await using repository = await createProject()
    await using client = await claude(repository.directory)
    const [task] = await create(client, { name: 'Wrong' })
    const task_id = task?.['task_id']
    expect(await edit(client, { task_id, action: 'delete', reason: 'twice' })).toMatchObject({
      edited: [{ task_id, deletion_confirmed: true }],
    })
    const listing = 'event list --type entity.deleted --json'.split(' ')
    const { out } = await waymark(repository.directory, listing)
    expect(JSON.parse(out)).toMatchObject({
      events: [
        {
          subject: task_id,
          at: expect.stringMatching(/Z$/),
          data: { action: 'delete', actor: 'mcp_server', reason: 'twice' },
        },
      ],
    })
  })
})

describe('Requirement: Error Handling & Reliability', () => {
  it('Scenario: Invalid input is rejected with clear error [tasky-scenario-invalid]', async () => {
    await using repository = await createProject()
    await using client = await claude(repository.directory)
    const refused = await client.result('search_tasks', { status: 'archived' })
    expect(refused.structured).toMatchObject({
      error: {
        code: 'validation_error',
        message: expect.stringContaining('status'),
        suggestions: ['valid values for status: pending, completed, cancelled'],
      },
    })
    const bad = await client.result('get_tasks', { task_ids: ['not-a-uuid'] })
    expect(bad.structured).toMatchObject({
      error: {
        code: 'validation_error',
        message: expect.stringContaining('task_ids.0'),
        suggestions: ['find valid task ids with search_tasks'],
      },
    })
    const undated = await client.result('create_tasks', {
      tasks: [{ name: 'T', due_date: 'tomorrow' }],
    })
    expect(undated.structured).toMatchObject({
      error: {
        code: 'validation_error',
        message: expect.stringContaining('due_date'),
        suggestions: ['write dates as YYYY-MM-DD, for example 2026-11-15'],
      },
    })
    expect(await client.call('search_tasks', {})).toMatchObject({ total_count: 0 })
  })

  it('Scenario: Operations timeout if taking too long [tasky-scenario-operations]', async () => {
    await using repository = await createProject()
    await using hasty = await claude(repository.directory, '--timeout-seconds', '0.3')
    await using other = await openProject(repository.directory)
    // Somebody else writes for as long as this lasts.
    let end = (): void => {}
    const ended = new Promise<void>((resolve) => (end = resolve))
    const begun = new Promise<void>((resolve) => {
      void other.store.write(async () => {
        resolve()
        await ended
      })
    })
    await begun
    const { structured } = await hasty.result('create_tasks', { tasks: [{ name: 'T' }] })
    end()
    expect(structured).toMatchObject({
      error: { code: 'timeout_error', message: expect.stringContaining('too long') },
    })
    await using patient = await claude(repository.directory)
    expect(await patient.call('search_tasks', {})).toMatchObject({ total_count: 0 })
  })

  it('Scenario: Concurrent operations are handled safely [tasky-scenario-concurrent]', async () => {
    await using repository = await createProject()
    await using a = await claude(repository.directory)
    await using b = await claude(repository.directory)
    const batches = [a, b].flatMap((client, at) =>
      Array.from({ length: 20 }, (_, number) => create(client, { name: `${at}-${number}` })),
    )
    const created = (await Promise.all(batches)).flat()
    expect(new Set(created.map(({ task_id }) => task_id)).size).toBe(40)
    expect(await a.call('search_tasks', { limit: 200 })).toMatchObject({ total_count: 40 })
  })
})

describe('Requirement: MCP Server Configuration', () => {
  /** The most requests that the log shows between their beginning and their end at one time. */
  function mostAtOnce(log: string): number {
    let running = 0
    let most = 0
    for (const line of log.split('\n')) {
      if (line.includes(' started')) running += 1
      if (line.includes(' completed')) running -= 1
      most = Math.max(most, running)
    }
    return most
  }

  async function burst(server: ServerProcess): Promise<void> {
    const calls = Array.from({ length: 30 }, (_, at) =>
      server.request('tools/call', {
        name: 'create_tasks',
        arguments: { tasks: [{ name: `T${at}` }] },
      }),
    )
    await Promise.all(calls)
    server.child.stdin.end()
    await server.closed
  }

  it('Scenario: Server can be customized [tasky-scenario-server]', async () => {
    await using repository = await createProject()
    const { directory } = repository
    const debug = { WAYMARK_LOG_LEVEL: 'debug' }
    const free = await startServer(directory, ['--dialect', 'tasky'], debug)
    await burst(free)
    expect(mostAtOnce(free.log.text)).toBeGreaterThan(3)
    const limited = await startServer(directory, ['--dialect', 'tasky'], {
      TASKY_MCP_MAX_CONCURRENT_REQUESTS: '3',
      ...debug,
    })
    await burst(limited)
    expect(mostAtOnce(limited.log.text)).toBeLessThanOrEqual(3)
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'Scenario: Server can be started standalone, and %s ends it gracefully [tasky-scenario-server-started]',
    async (signal) => {
      await using repository = await createProject()
      const server = await startServer(repository.directory, ['--dialect', 'tasky'])
      const answer = await server.request('tools/call', { name: 'project_info', arguments: {} })
      expect(answer.result).toMatchObject({ structuredContent: { task_counts: { pending: 0 } } })
      await expect.poll(() => server.log.text).toContain('INFO tasky::mcp serving')
      server.child.kill(signal)
      expect(await server.closed).toMatchObject({ code: 0 })
      expect(server.log.text).toContain('stopped')
    },
  )
})
