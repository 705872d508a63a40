import { describe, expect, it } from 'vitest'
import { loadDialects } from '../../src/dialects/load-dialects.ts'
import { execute } from '../../src/core/execute.ts'
import { addArtifact, listArtifacts } from '../../src/artifact/operations.ts'
import { createEntity, listEntities } from '../../src/entity/operations.ts'
import { findOperation } from '../../src/registry.ts'
import { listTasks } from '../../src/task/queue/list.ts'
import { toJsonSchema } from '../../src/core/input/schema.ts'
import { connect, type Fields } from '../dialects/client.ts'
import { join } from '../dialects/lodestar/crew.ts'
import { setup } from '../setup.ts'
import { shell } from './shell.ts'
import { createTestSite } from './test-site.ts'

describe('a misspelt field of a tool', () => {
  it('creates no task without its text', async () => {
    await using client = await connect('waymark')
    const task = { title: 'T', description: 'the spec', blocked_by: ['3'] }
    const { error } = await client.refusal('task_create', { tasks: [task] })
    expect(error).toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(
        /^tasks\.0\.description: is unknown; the fields here are title, content, /,
      ),
      details: { field: 'tasks.0.description', rule: 'unknown_field' },
    })
    expect(await execute(client.project.context, listTasks, {})).toMatchObject({ total: 0 })
  })

  it('still lets a task have fields that are not worth listing', async () => {
    await using client = await connect('waymark')
    const task = { title: 'T', task_type: 'bug', needs_verification: true }
    expect(await client.call('task_create', { tasks: [task] })).toMatchObject({
      tasks: [{ title: 'T' }],
    })
  })

  it('sends no message to everybody', async () => {
    await using client = await connect('lodestar')
    const [ada] = [await join(client, 'ada'), await join(client, 'bob')]
    const message = { fromAgentId: ada, to: 'bob', body: 'for you alone' }
    expect(await client.refusal('lodestar.message.send', message)).toMatchObject({
      error_code: 'INVALID_INPUT',
      error: expect.stringMatching(/^to: is unknown; the fields here are fromAgentId, toAgentId, /),
      details: { field: 'to', rule: 'unknown_field' },
    })
    const sent = await client.project.context.store.events.latest()
    await client.refusal('lodestar.message.send', message)
    expect(await client.project.context.store.events.latest()).toBe(sent)
  })

  it('is not the id of an agent, which belongs in every call', async () => {
    await using client = await connect('lodestar')
    const [ada, bob] = [await join(client, 'ada'), await join(client, 'bob')]
    const message = { fromAgentId: ada, toAgentId: bob, body: 'for you' }
    expect(
      await client.call('lodestar.message.send', { ...message, agentId: ` ${ada}` }),
    ).toMatchObject({ ok: true, deliveredTo: [bob] })
    expect(
      await client.refusal('lodestar.message.send', { ...message, agentId: bob }),
    ).toMatchObject({
      error_code: 'INVALID_AGENT_ID',
      error: expect.stringContaining('agentId: must be the same as fromAgentId'),
      details: { field: 'agentId' },
    })
    expect(await client.call('lodestar.message.list', { agentId: bob })).toMatchObject({
      messages: [{ body: 'for you' }],
    })
  })

  it('is named with the code of the seed, also where the seed has a rule for a field of that name', async () => {
    await using medulla = await connect('medulla')
    const { error } = await medulla.request('tools/call', {
      name: 'entity_create',
      arguments: { type: 'task', title: 'T', priority: 'high' },
    })
    expect(error).toMatchObject({
      code: -32003,
      data: { error_type: 'ValidationFailed', field: 'priority' },
    })
    await using tasky = await connect('tasky')
    expect(
      await tasky.refusal('create_tasks', { tasks: [{ name: 'T', title: 'T' }] }),
    ).toMatchObject({
      error: {
        code: 'validation_error',
        message: expect.stringContaining(
          'tasks.0.title: is unknown; the fields here are name, details',
        ),
        suggestions: [expect.stringContaining('valid fields: name, details')],
      },
    })
  })
})

describe.each(['waymark', 'medulla'])('a step of a batch in %s', (dialect) => {
  it('with a misspelt field fails, and the others are done', async () => {
    await using project = await setup()
    const selection = dialect === 'waymark' ? { tools: 'entity_batch' } : {}
    const dialects = await loadDialects(dialect, selection)
    await using client = await connect(dialect, { project, server: { dialects } })
    const operations = [
      { op: 'create', type: 'note', title: 'without its text', body: 'lost' },
      { op: 'create', type: 'note', title: 'whole', content: 'kept' },
    ]
    const { structuredContent } = await client.result('entity_batch', { operations })
    expect(structuredContent).toMatchObject({
      results: [
        {
          success: false,
          error: { message: expect.stringMatching(/^body: is unknown; the fields here are type/) },
        },
        { success: true },
      ],
      succeeded: 1,
    })
    const { entities } = await execute(project.context, listEntities, {})
    expect(entities.map(({ title }) => title)).toEqual(['whole'])
  })
})

describe('a misspelt field of a route', () => {
  async function post(directory: string, name: string, input: Fields) {
    await using site = createTestSite(directory)
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify(input)
    const response = await site.ask(`/api/${name}`, { method: 'POST', body, headers })
    return { status: response.status, body: (await response.json()) as Fields }
  }

  it.each([
    [
      'history.undo',
      { author: 'tester', since: '2026-11-15T00:00:00Z', dryRun: true },
      'dryRun',
      'dry_run',
    ],
    ['artifact.collect', { dryRun: true }, 'dryRun', 'dry_run'],
    ['entity.list', { except_status: 'todo' }, 'except_status', 'except_statuses'],
    ['task.get_many', { id: '1' }, 'id', 'ids?'],
    ['entity.list', { 'content-type': 'x' }, 'content-type', undefined],
  ])('%s %o is refused before anything happens', async (name, input, field, meant) => {
    await using project = await setup()
    await execute(project.context, createEntity, { type: 'note', title: 'N' })
    await execute(project.context, addArtifact, { text: 'linked by nothing' })
    const before = await project.context.store.events.latest()
    expect(await post(project.directory, name, input)).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 'invalid_input',
          message: expect.stringContaining(meant === undefined ? field : `did you mean ${meant}`),
          details: { field, rule: 'unknown_field' },
        },
      },
    })
    expect(await project.context.store.events.latest()).toBe(before)
    expect(await execute(project.context, listEntities, {})).toMatchObject({ total: 1 })
    expect(await execute(project.context, listArtifacts, {})).toMatchObject({ total: 1 })
  })
})

describe.each(['entity.list', 'search.query'])('one status of %s', (name) => {
  async function given() {
    const sh = await shell()
    for (const [title, status] of Object.entries({
      A: 'accepted',
      B: 'proposed',
      C: 'deprecated',
    })) {
      await sh.run(['add', 'decision', title, '--status', status])
    }
    return sh
  }
  function titlesIn(answer: unknown): unknown {
    const { entities, results } = answer as Record<string, Fields[]>
    return (entities ?? results)?.map(({ title }) => title).toSorted()
  }

  it('is taken by a route beside the list that has taken its place', async () => {
    await using sh = await given()
    await using site = createTestSite(sh.directory)
    const get = async (query: string) => {
      const response = await site.ask(`/api/${name}?${query}`)
      return titlesIn(await response.json())
    }
    expect(await get('status=accepted')).toEqual(['A'])
    expect(await get('status=Accepted&statuses=deprecated')).toEqual(['A', 'C'])
    const headers = { 'content-type': 'application/json' }
    const post = { method: 'POST', body: '{"status":"accepted"}', headers }
    const response = await site.ask(`/api/${name}`, post)
    expect(titlesIn(await response.json())).toEqual(['A'])
  })

  it('is taken on the command line', async () => {
    await using sh = await given()
    const words = [...name.split('.'), '--json']
    const { out } = await sh.run([...words, '--input', '{"status":"accepted"}'])
    expect(titlesIn(JSON.parse(out))).toEqual(['A'])
    const { out: both } = await sh.run([...words, '--status', 'accepted', '--status', 'deprecated'])
    expect(titlesIn(JSON.parse(both))).toEqual(['A', 'C'])
  })

  it('is listed nowhere', async () => {
    const operation = await findOperation(name)
    const properties = operation && toJsonSchema(operation.input)['properties']
    expect(properties).toHaveProperty('statuses')
    expect(properties).not.toHaveProperty('status')
  })
})

describe('a misspelt field of a whole input on the command line', () => {
  it('is refused before anybody is asked', async () => {
    await using sh = await shell()
    await sh.run(['add', 'note', 'N'])
    const asked: string[] = []
    const confirm = async (question: string) => {
      asked.push(question)
      return true
    }
    const input = JSON.stringify({ id: '1', dryRun: true })
    const { exit, err } = await sh.run(['entity', 'delete', '--input', input], { confirm })
    expect([exit, asked]).toEqual([2, []])
    expect(err).toContain('dryRun: is unknown; the fields here are id')
    expect((await sh.run('list --json')).out).toContain('"title":"N"')
  })

  it('is not overlooked while events are followed', async () => {
    await using sh = await shell()
    const { exit, err } = await sh.run(['events', '--follow', '--input', '{"type":["x"]}'])
    expect(exit).toBe(2)
    expect(err).toContain('type: is unknown; did you mean types?')
  })
})
