import { describe, expect, it } from 'vitest'
import { createProject } from '../setup.ts'
import { command } from '../surface/command.ts'
import { startServer } from './binary.ts'
import { inspect } from './inspector.ts'
import { type Fields, startMedulla } from './medulla-client.ts'

const titles = (rows: unknown) => (rows as { title: string }[]).map(({ title }) => title)

/** The boxes of the seed's validation checklist, in its words, through a real client over stdio. */
describe('Validation Checklist', () => {
  it('`medulla serve` starts without error on initialized project [medulla-checklist-serve-starts]', async () => {
    await using medulla = await startMedulla()
    expect(medulla.client.getServerVersion()).toMatchObject({ name: 'medulla' })
    expect(medulla.client.getServerCapabilities()).toMatchObject({
      tools: { listChanged: false },
      resources: { subscribe: true, listChanged: false },
      prompts: {},
      logging: {},
    })
    expect(medulla.log()).not.toMatch(/ERROR|WARN/)
  })

  it('MCP Inspector connects and lists all tools [medulla-checklist-mcp-inspector]', async () => {
    await using repository = await createProject()
    const names = await inspect(repository.directory, ['serve', '--dialect', 'medulla'])
    expect(names).toHaveLength(22)
    expect(names).toEqual(expect.arrayContaining(['entity_create', 'task_ready', 'graph_path']))
  })

  it('Claude Desktop connects via stdio transport [medulla-checklist-claude-desktop]', async () => {
    await using repository = await createProject()
    // What it sends: an older revision, its own name, and the lists one after the other.
    await using server = await startServer(repository.directory, ['--dialect', 'medulla'])
    const hello = await server.request('initialize', {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: 'claude-ai', version: '0.1.0' },
    })
    expect(hello.result).toMatchObject({ protocolVersion: '2024-11-05' })
    server.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    for (const [method, member] of [
      ['tools/list', 'tools'],
      ['resources/list', 'resources'],
      ['resources/templates/list', 'resourceTemplates'],
      ['prompts/list', 'prompts'],
    ] as const) {
      expect((await server.request(method)).result?.[member]).not.toEqual([])
    }
  })

  it('`entity_create` creates decision, visible in `medulla list decisions` [medulla-checklist-entity-create]', async () => {
    await using medulla = await startMedulla()
    await medulla.call('entity_create', { type: 'decision', title: 'Use PostgreSQL' })
    expect(await medulla.cli('list', 'decisions')).toMatch(/^#1\tUse PostgreSQL\tdecision/)
  })

  it('`entity_list` with `type=decision` returns all decisions [medulla-checklist-entity-list]', async () => {
    await using medulla = await startMedulla()
    const content = 'Because of this and that. '.repeat(20)
    const decisions = Array.from({ length: 42 }, (_, at) => `Decision ${at + 1}`)
    const create = (type: string, title: string) => ({ op: 'create', type, title, content })
    const operations = [create('note', 'N'), ...decisions.map((title) => create('decision', title))]
    await medulla.call('entity_batch', { operations })
    const listed = await medulla.call('entity_list', { type: 'decision' })
    expect(titles(listed['entities'])).toEqual(decisions)
    expect(new Set((listed['entities'] as Fields[]).map((one) => one['content']))).toEqual(
      new Set([content]),
    )
    expect(listed).toMatchObject({ total: 42, limit: 50, offset: 0 })
  })

  it('`entity_get` retrieves specific decision by sequence number [medulla-checklist-entity-get]', async () => {
    await using medulla = await startMedulla()
    await medulla.call('entity_create', { type: 'decision', title: 'A' })
    await medulla.call('entity_create', { type: 'decision', title: 'B' })
    expect(await medulla.call('entity_get', { id: '2' })).toMatchObject({ title: 'B' })
    expect(await medulla.call('entity_get', { id: '002' })).toMatchObject({ title: 'B' })
  })

  it('`entity_get` retrieves specific decision by UUID prefix [medulla-checklist-entity-get-retrieves]', async () => {
    await using medulla = await startMedulla()
    const { id } = await medulla.call('entity_create', { type: 'decision', title: 'A' })
    await medulla.call('entity_create', { type: 'decision', title: 'B' })
    // As long as it takes to be no number.
    const prefix = String(id).slice(0, 14)
    expect(await medulla.call('entity_get', { id: prefix })).toMatchObject({ id, title: 'A' })
  })

  it('`entity_update` modifies decision title [medulla-checklist-entity-update]', async () => {
    await using medulla = await startMedulla()
    await medulla.call('entity_create', { type: 'decision', title: 'Old' })
    await medulla.call('entity_update', { id: '1', title: 'New' })
    expect(await medulla.call('entity_get', { id: '1' })).toMatchObject({ title: 'New' })
  })

  it('`entity_delete` removes decision [medulla-checklist-entity-delete]', async () => {
    await using medulla = await startMedulla()
    await medulla.call('entity_create', { type: 'decision', title: 'A' })
    await medulla.call('entity_delete', { id: '1' })
    expect(await medulla.call('entity_list')).toMatchObject({ entities: [], total: 0 })
  })

  it('`entity_batch` with mixed operations reports per-operation results [medulla-checklist-entity-batch]', async () => {
    await using medulla = await startMedulla()
    const { id: updated } = await medulla.call('entity_create', { type: 'note', title: 'Old' })
    const { id: deleted } = await medulla.call('entity_create', { type: 'note', title: 'Gone' })
    const done = await medulla.call('entity_batch', {
      operations: [
        { op: 'create', type: 'task', title: 'Task 1', properties: { priority: 'high' } },
        { op: 'update', id: '1', title: 'Updated' },
        { op: 'delete', id: 'def456' },
        { op: 'delete', id: '2' },
      ],
    })
    const { entities } = await medulla.call('entity_list', { type: 'task' })
    const [created] = entities as Fields[]
    expect(created).toMatchObject({ title: 'Task 1', properties: { priority: 'high' } })
    expect(done).toMatchObject({
      results: [
        { index: 0, success: true, id: created?.['id'] },
        { index: 1, success: true, id: updated },
        { index: 2, success: false, error: { code: 'ENTITY_NOT_FOUND' } },
        { index: 3, success: true, id: deleted },
      ],
      succeeded: 3,
      failed: 1,
    })
    const notes = await medulla.call('entity_list', { type: 'note' })
    expect(notes['entities']).toMatchObject([{ id: updated, title: 'Updated' }])
    expect(notes['total']).toBe(1)
  })

  it.each([
    ['title', 'postgres'],
    ['content', 'replication'],
  ])(
    '`search_fulltext` finds decision by keyword in %s [medulla-checklist-search-fulltext]',
    async (_, query) => {
      await using medulla = await startMedulla()
      await medulla.call('entity_create', {
        type: 'decision',
        title: 'Use PostgreSQL',
        content: 'Because of replication',
      })
      await medulla.call('entity_create', { type: 'decision', title: 'Other' })
      const { results } = await medulla.call('search_fulltext', { query })
      expect(titles(results)).toEqual(['Use PostgreSQL'])
    },
  )

  it('`graph_relations` shows task→decision relation [medulla-checklist-graph-relations]', async () => {
    await using medulla = await startMedulla()
    await medulla.call('entity_create', { type: 'decision', title: 'D' })
    await medulla.call('entity_create', { type: 'task', title: 'T' })
    await medulla.cli('relation', 'add', '2', '1', '--type', 'implements')
    expect(await medulla.call('graph_relations', { id: '2' })).toMatchObject({
      outgoing: [{ source_type: 'task', target_type: 'decision', relation_type: 'implements' }],
      incoming: [],
    })
  })

  it('`graph_path` finds path between related entities [medulla-checklist-graph-path]', async () => {
    await using medulla = await startMedulla()
    const ids = []
    for (const title of ['A', 'B', 'C']) {
      ids.push((await medulla.call('entity_create', { type: 'note', title }))['id'])
    }
    for (const [source_id, target_id] of [
      ['1', '2'],
      ['2', '3'],
    ]) {
      await medulla.call('relation_create', { source_id, target_id, relation_type: 'references' })
    }
    expect(await medulla.call('graph_path', { from_id: '1', to_id: '3' })).toEqual({
      path: ids,
      length: 2,
    })
  })

  it('`graph_orphans` returns entities with no relations [medulla-checklist-graph-orphans]', async () => {
    await using medulla = await startMedulla()
    for (const title of ['A', 'B', 'C'])
      await medulla.call('entity_create', { type: 'note', title })
    await medulla.call('relation_create', {
      source_id: '1',
      target_id: '2',
      relation_type: 'references',
    })
    expect(await medulla.call('graph_orphans')).toMatchObject({
      orphans: [{ sequence_number: 3, title: 'C' }],
      total: 1,
    })
  })

  it('`task_ready` returns tasks without blockers, sorted by priority [medulla-checklist-task-ready]', async () => {
    await using medulla = await startMedulla()
    for (const priority of ['low', 'urgent', 'normal', 'high']) {
      await medulla.call('entity_create', {
        type: 'task',
        title: priority,
        properties: { priority },
      })
    }
    await medulla.call('relation_create', {
      source_id: '1',
      target_id: '3',
      relation_type: 'blocks',
    })
    const { tasks } = await medulla.call('task_ready')
    expect(titles(tasks)).toEqual(['urgent', 'high', 'low'])
  })

  it('`task_next` returns single highest-priority ready task [medulla-checklist-task-next]', async () => {
    await using medulla = await startMedulla()
    for (const priority of ['low', 'urgent', 'high']) {
      await medulla.call('entity_create', {
        type: 'task',
        title: priority,
        properties: { priority },
      })
    }
    expect(await medulla.call('task_next')).toMatchObject({ title: 'urgent', priority: 'urgent' })
  })

  it('`task_blocked` shows blocked tasks with their blockers [medulla-checklist-task-blocked]', async () => {
    await using medulla = await startMedulla()
    for (const title of ['First', 'Second'])
      await medulla.call('entity_create', { type: 'task', title })
    await medulla.call('relation_create', {
      source_id: '1',
      target_id: '2',
      relation_type: 'blocks',
    })
    expect(await medulla.call('task_blocked')).toMatchObject({
      blocked_tasks: [{ title: 'Second', blockers: [{ title: 'First', status: 'todo' }] }],
      total: 1,
    })
  })

  it('Resource `medulla://decisions` returns decision list [medulla-checklist-resource-decisions]', async () => {
    await using medulla = await startMedulla()
    await medulla.call('entity_create', { type: 'decision', title: 'A' })
    await medulla.call('entity_create', { type: 'note', title: 'B' })
    const listed = await medulla.read('medulla://decisions')
    expect(titles(listed['entities'])).toEqual(['A'])
  })

  it('Resource `medulla://entity/{id}` returns single entity [medulla-checklist-resource-entity]', async () => {
    await using medulla = await startMedulla()
    const made = await medulla.call('entity_create', { type: 'decision', title: 'A' })
    expect(await medulla.read('medulla://entity/1')).toEqual(made)
  })

  it('Subscription to `medulla://entities/task` notifies on task create [medulla-checklist-subscription-entities]', async () => {
    await using medulla = await startMedulla()
    await medulla.client.subscribeResource({ uri: 'medulla://entities/task' })
    // By another process than the one that serves.
    await medulla.cli('add', 'task', 'From the command line')
    await expect.poll(() => medulla.updated).toEqual(['medulla://entities/task'])
    await medulla.client.unsubscribeResource({ uri: 'medulla://entities/task' })
    await medulla.client.subscribeResource({ uri: 'medulla://entities/note' })
    await medulla.cli('add', 'task', 'Unheard')
    await medulla.cli('add', 'note', 'Heard')
    await expect
      .poll(() => medulla.updated)
      .toEqual(['medulla://entities/task', 'medulla://entities/note'])
  })

  it('Invalid tool params return validation error with field name [medulla-checklist-invalid-tool]', async () => {
    await using medulla = await startMedulla()
    const refused = medulla.client.callTool({
      name: 'entity_create',
      arguments: { type: 'task', title: 'T', properties: { due_date: 'soon' } },
    })
    await expect(refused).rejects.toMatchObject({
      code: -32003,
      data: { error_type: 'InvalidDateFormat', field: 'due_date', value: 'soon' },
    })
    expect(await medulla.call('entity_list')).toMatchObject({ total: 0 })
  })

  it('Entity not found returns -32001 error code [medulla-checklist-entity-found]', async () => {
    await using medulla = await startMedulla()
    const refused = medulla.client.callTool({ name: 'entity_get', arguments: { id: '99' } })
    await expect(refused).rejects.toMatchObject({
      code: -32001,
      data: { error_type: 'EntityNotFound', id: '99' },
    })
  })

  it('Graceful shutdown completes in-flight requests [medulla-checklist-graceful-shutdown]', async () => {
    await using repository = await createProject()
    await using server = await startServer(repository.directory, ['--dialect', 'medulla'])
    const answers = server.createAtOnce(20)
    await answers[0]
    server.child.kill('SIGTERM')
    const all = await Promise.all(answers)
    expect(all.filter(({ result }) => result !== undefined)).toHaveLength(20)
    expect(await server.closed).toEqual({ code: 0, signal: null })
    expect(server.log.text).toContain('Shutting down...')
    const { out } = await command(repository.directory, ['list', '--json'])
    expect((JSON.parse(out) as Fields)['total']).toBe(20)
  })

  it('Server logs to stderr, not stdout [medulla-checklist-server-logs]', async () => {
    await using repository = await createProject()
    await using server = await startServer(repository.directory, ['--dialect', 'medulla'])
    await server.create('N')
    await server.request('tools/call', { name: 'entity_get', arguments: { id: '99' } })
    server.child.stdin.end()
    await server.closed
    for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
    const lines = server.log.text.trimEnd().split('\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^\d{4}-\d\d-\d\dT[\d:.]+Z INFO medulla::mcp request\{id=2 method="tools\/call" tool="entity_create"\} started$/,
        ),
        expect.stringMatching(/INFO medulla::mcp request\{id=2\} completed duration_ms=\d+$/),
      ]),
    )
  })
})
