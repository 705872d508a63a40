import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { createEntity } from '../../../src/entity/operations.ts'
import { sendMessage } from '../../../src/message/operations.ts'
import { createTask } from '../../../src/task/operations.ts'
import { setup } from '../../setup.ts'
import { connect, type DialectClient, type Fields } from '../client.ts'

const LARGEST_REPLY = 10_000

async function textOf(client: DialectClient, name: string, args: Fields = {}): Promise<string> {
  const { content } = await client.result(name, args)
  return content.map(({ text }) => text).join('\n')
}

async function sizeOf(client: DialectClient, name: string, args: Fields = {}): Promise<number> {
  return Buffer.byteLength(JSON.stringify(await client.result(name, args)))
}

describe('tasks', () => {
  it('are planned, claimed and finished by two agents without a word of identity', async () => {
    await using one = await connect('waymark')
    await using two = await connect('waymark', { project: one.project })
    const plan = [
      { title: 'Lay the floor', key: 'floor' },
      { title: 'Put up walls', depends_on: ['floor'] },
    ]
    expect(await one.call('task_create', { tasks: plan })).toMatchObject({
      tasks: [{ number: 1 }, { number: 2, depends_on: [1] }],
    })
    expect(await one.call('task_next')).toMatchObject({ tasks: [{ number: 1 }], total: 1 })
    const { claimed } = await one.call('task_next', { claim: true })
    expect(claimed).toMatchObject({ number: 1, fence: 1, status: 'in_progress' })
    expect(await two.call('task_next', { claim: true })).toEqual({ tasks: [], total: 0 })
    expect(await two.refusal('task_next', { id: 1 })).toMatchObject({ error: { code: 'conflict' } })
    const done = await one.call('task_update', { ids: [1], action: 'complete', fence: 1 })
    expect(done).toMatchObject({
      tasks: [{ number: 1, status: 'done' }],
      newly_ready: ['#2 Put up walls (todo)'],
    })
    expect(await two.call('task_next', { id: '#2' })).toMatchObject({ claimed: { number: 2 } })
  })

  it('say who holds them by the name that the holder goes by', async () => {
    await using client = await connect('waymark')
    await client.call('task_create', { tasks: [{ title: 'Lay the floor' }] })
    const { claimed } = await client.call('task_next', { claim: true })
    const { holder } = claimed as Fields
    expect(holder).toMatch(/\w/)
    expect(await textOf(client, 'task_get')).toContain(`held by ${String(holder)}`)
  })

  it('can be given back, held longer, put off and opened again', async () => {
    await using client = await connect('waymark')
    await client.call('task_create', { tasks: [{ title: 'A' }, { title: 'B' }] })
    await client.call('task_next', { id: 1 })
    const renewed = await client.call('task_update', { ids: ['1'], action: 'renew', seconds: 900 })
    expect(renewed).toMatchObject({ tasks: [{ lease_until: '2026-11-15T12:15:00.000Z' }] })
    await client.call('task_update', { ids: ['1'], action: 'release', reason: 'no time' })
    const dated = await client.call('task_update', { ids: ['1'], due_date: '2026-12-01' })
    expect(dated).toMatchObject({ tasks: [{ due_date: '2026-12-01', status: 'todo' }] })
    const undated = await client.call('task_update', { ids: ['1'], due_date: '' })
    expect(undated).toMatchObject({
      tasks: [expect.not.objectContaining({ due_date: '2026-12-01' })],
    })
    const later = await client.call('task_update', { ids: ['1'], defer_until: '2026-12-01' })
    expect(later).toMatchObject({ tasks: [{ defer_until: '2026-12-01' }] })
    expect(await client.call('task_next')).toMatchObject({ tasks: [{ number: 2 }] })
    await client.call('task_update', { ids: ['1'], defer_until: '' })
    expect(await client.call('task_next', { id: 1 })).toMatchObject({ claimed: { number: 1 } })
    await client.call('task_update', { ids: ['1'], action: 'release' })
    expect(await client.call('task_next')).toMatchObject({ total: 2 })
    await client.call('task_update', { ids: ['1', '2'], assignee: 'ann' })
    expect(await client.call('task_get', { assignee: 'ann' })).toMatchObject({ total: 2 })
    await client.call('task_update', { ids: ['1'], assignee: '' })
    await client.call('task_update', { ids: ['1', '2'], assignee: '' })
    expect(await client.call('task_get', { assignee: 'ann' })).toMatchObject({ total: 0 })
    await client.call('task_update', { ids: ['1', '2'], action: 'cancel' })
    expect(await client.call('task_get')).toMatchObject({ tasks: [], total: 0 })
    await client.call('task_update', { ids: ['1', '2'], action: 'reopen' })
    expect(await client.call('task_get')).toMatchObject({ total: 2 })
    await client.call('task_update', { ids: ['2'], action: 'cancel', duplicates: 1 })
    expect(await client.call('task_get', { ids: ['1'] })).toMatchObject({
      tasks: [{ duplicated_by: ['#2 B (cancelled)'] }],
    })
  })

  it('are changed together or not at all', async () => {
    await using client = await connect('waymark')
    await client.call('task_create', { tasks: [{ title: 'A' }] })
    const refused = await client.refusal('task_update', { ids: ['1', '9'], priority: 'urgent' })
    expect(refused).toMatchObject({ error: { code: 'not_found' } })
    expect(await client.call('task_get', { ids: ['1'] })).toMatchObject({
      tasks: [{ priority: 500 }],
    })
    await client.call('task_update', { ids: ['1'], action: 'complete' })
    expect(
      await client.refusal('task_update', { ids: ['1', '1'], action: 'verify' }),
    ).toMatchObject({ error: { code: 'invalid_input', details: { field: 'ids' } } })
  })

  it('are listed by filter, or with what they wait for', async () => {
    await using client = await connect('waymark')
    await client.call('task_create', {
      tasks: [
        { title: 'A', key: 'a', labels: ['x'] },
        { title: 'B', depends_on: ['a'] },
      ],
    })
    expect(await client.call('task_get', { labels: ['x'] })).toMatchObject({ total: 1 })
    expect(await client.call('task_get', { blocked: true })).toMatchObject({
      tasks: [{ number: 2, blockers: ['#1 A (todo)'] }],
    })
    expect(await textOf(client, 'task_get')).toBe(
      '#1 todo p500 A · key a · labels x · by test\n#2 todo p500 B · by test · needs #1',
    )
  })
})

describe('knowledge', () => {
  it('is remembered, recalled, opened and changed', async () => {
    await using client = await connect('waymark')
    const decision = {
      type: 'decision',
      title: 'Use SQLite for storage',
      content: 'One file, no server.',
      properties: { status: 'accepted' },
    }
    expect(await client.call('remember', decision)).toMatchObject({ number: 1, status: 'accepted' })
    const found = await client.call('recall', { query: 'sqlite type:decision' })
    expect(found).toMatchObject({ mode: 'fulltext', results: [{ number: 1, by: 'test' }] })
    expect(await textOf(client, 'recall', { query: 'sqlite' })).toMatch(
      /^#1 decision: Use SQLite for storage \(accepted, by test, 2026-11-15\)/,
    )
    await client.call('remember', { id: 1, content: 'One file.' })
    expect(await client.call('recall', { id: '#1' })).toMatchObject({ content: 'One file.' })
  })

  it('that is more than was counted says so', async () => {
    await using client = await connect('waymark')
    const { context } = client.project
    const titles = Array.from({ length: 210 }, (_, at) => `Cache layer ${at}`)
    await Promise.all(
      titles.map((title) => execute(context, createEntity, { type: 'note', title })),
    )
    const found = await client.call('recall', { query: 'cache', limit: 2 })
    expect(found).toMatchObject({ total_is_minimum: true })
    const text = await textOf(client, 'recall', { query: 'cache', limit: 2 })
    expect(text).toContain(`2 of ${String(found['total'])}+, searched by`)
  })

  it('of another kind than entities is named by its kind, and not taken for an entity', async () => {
    await using client = await connect('waymark')
    await client.call('remember', { type: 'note', title: 'Something else' })
    await client.call('message_send', { body: 'the flux capacitor is broken' })
    const { results } = await client.call('recall', { query: 'capacitor' })
    expect(results).toMatchObject([{ kind: 'message', id: 'message 1' }])
    expect(await textOf(client, 'recall', { query: 'capacitor' })).toMatch(/^message 1 /)
    expect(await client.refusal('recall', { id: 'artifact 1' })).toMatchObject({
      error: { code: 'invalid_input', message: expect.stringContaining('artifact_read') },
    })
  })

  it('that was said to everybody is opened, one’s own too and what is older than oneself', async () => {
    await using project = await setup()
    await execute(project.as('ann'), sendMessage, { body: 'the flux capacitor\nis broken' })
    project.tick(1000)
    await using client = await connect('waymark', { project })
    await client.call('message_send', { body: 'mine', severity: 'warning' })
    const { from } = await client.call('recall', { id: 'message 2' })
    await execute(project.as('ann'), sendMessage, { body: 'between us', to: String(from) })
    expect(await client.call('recall', { id: 'Message #1' })).toEqual({
      id: 1,
      from: 'ann',
      severity: 'info',
      at: '2026-11-15T12:00:00.000Z',
      body: 'the flux capacitor\nis broken',
    })
    expect(await textOf(client, 'recall', { id: 'message 2' })).toMatch(
      /^message 2 warning from \S+ 2026-\S+Z:\n> mine$/,
    )
    for (const id of ['message 3', 'message 4', 'message 0']) {
      const { error } = (await client.refusal('recall', { id })) as { error: { code: string } }
      expect([id, error.code]).toEqual([id, id === 'message 0' ? 'invalid_input' : 'not_found'])
    }
  })

  it('about code is read before a change and written after a commit', async () => {
    await using project = await setup()
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', project.directory, '-c', 'user.email=a@example.com', ...args])
    writeFileSync(join(project.directory, 'a.ts'), 'export function add() {\n  return 1\n}\n')
    git('add', '.')
    git('commit', '-qm', 'Add')
    const { code } = project.context
    await using client = await connect('waymark', { project, server: { ...(code && { code }) } })
    const region = { file: 'a.ts', lines: '1:3', intent: 'Always one, the protocol demands it' }
    const annotated = await client.call('annotate', {
      summary: 'Add a constant',
      regions: [region],
    })
    expect(annotated).toMatchObject({ regions_written: 1 })
    expect(await client.call('code_why', { path: 'a.ts' })).toMatchObject({
      file: 'a.ts',
      reasons: [{ text: region.intent, at: '1:3', state: 'fresh' }],
    })
    expect(await textOf(client, 'code_why', { path: 'a.ts' })).toContain('the protocol demands it')
  })
})

describe('messages and events', () => {
  it('reach the other agent, who acknowledges them', async () => {
    await using one = await connect('waymark')
    await using two = await connect('waymark', { project: one.project })
    await two.call('task_create', { tasks: [{ title: 'A' }] })
    await two.call('task_next', { claim: true })
    const { next_cursor } = await two.call('events', { since: 0 })
    expect(await one.call('message_send', { body: 'Mind the gap', task: 1 })).toMatchObject({
      id: 1,
    })
    expect(await two.call('events', { since: next_cursor, wait_seconds: 5 })).toMatchObject({
      events: expect.arrayContaining([expect.objectContaining({ type: 'message.sent' })]),
    })
    expect(await two.call('brief')).toMatchObject({ unread: 1 })
    expect(await two.call('inbox')).toMatchObject({ messages: [{ id: 1, body: 'Mind the gap' }] })
    expect(await two.call('inbox', { task: 1 })).toMatchObject({ messages: [{ id: 1 }] })
    expect((await two.result('inbox')).content[0]?.text).toMatch(/^1 \w+ from .* about #1:/)
    expect(await two.call('inbox', { ack: [1] })).toEqual({ acknowledged: [1], unread: 0 })
    expect(await two.call('inbox')).toMatchObject({ messages: [] })
  })
})

describe('a mistake', () => {
  it('is answered with what to do about it', async () => {
    await using client = await connect('waymark')
    const { isError, content } = await client.result('task_get', { ids: ['99'] })
    expect(isError).toBe(true)
    expect(content[0]?.text).toMatch(/^not_found: .*\nFind its number with/)
  })

  it('names what is allowed, and gives no advice that contradicts it [agent-errors-remedy]', async () => {
    await using project = await setup()
    mkdirSync(join(project.directory, 'src'))
    writeFileSync(join(project.directory, 'src/a.ts'), 'export const a = 1\n')
    for (const words of [
      ['add', '.'],
      ['-c', 'user.email=a@b.c', 'commit', '-qm', 'Add'],
    ])
      execFileSync('git', ['-C', project.directory, ...words])
    const { code } = project.context
    await using client = await connect('waymark', { project, server: { ...(code && { code }) } })
    await client.call('task_create', {
      tasks: [
        { title: 'Cart', key: 'c' },
        { title: 'Pay', depends_on: ['c'] },
      ],
    })
    await client.call('task_next', { claim: true })
    const fence = { ids: ['1'], action: 'complete', fence: 7 }
    const cases: readonly (readonly [string, Fields, string])[] = [
      [
        'task_create',
        { title: 'x' },
        'invalid_input: title: is unknown; the fields here are tasks\nCorrect the named field and call again.',
      ],
      [
        'code_why',
        { path: 'src' },
        'not_found: src is a folder; name a file in it\nName a file of the repository, by its path from the top.',
      ],
      [
        'code_why',
        { path: 'src/none.ts' },
        'not_found: File not found: src/none.ts\nName a file of the repository, by its path from the top.',
      ],
      [
        'remember',
        { type: 'memo', title: 'x' },
        'invalid_input: type: must be one of decision, note, component, link, prompt; task_create makes tasks\nCorrect the named field and call again.',
      ],
      [
        'task_next',
        { id: '2', claim: true },
        'conflict: task 2 is blocked by #1 Cart\nRead it again before you decide; do not repeat the call unchanged.',
      ],
      [
        'task_update',
        fence,
        'lease_lost: you hold task 1 with fence 1 now; pass that fence, or none',
      ],
    ]
    for (const [tool, args, answer] of cases) {
      const { isError, content } = await client.result(tool, args)
      expect([tool, isError, content[0]?.text]).toEqual([tool, true, answer])
    }
  })

  it('in the name of a field is not overlooked', async () => {
    await using client = await connect('waymark')
    expect(await client.refusal('task_next', { clam: true })).toMatchObject({
      error: { code: 'invalid_input', details: { field: 'clam', rule: 'unknown_field' } },
    })
    const action = { ids: ['1'], action: 'finish' }
    expect(await client.refusal('task_update', action)).toMatchObject({
      error: { details: { field: 'action', valid: expect.arrayContaining(['complete']) } },
    })
    const idle = { ids: ['1'], action: 'complete', title: 'B' }
    expect(await client.refusal('task_update', idle)).toMatchObject({
      error: { details: { field: 'title', rule: 'unknown_field' } },
    })
    expect(await client.refusal('recall', { query: 'x', max_tokens: 5 })).toMatchObject({
      error: { details: { field: 'max_tokens' } },
    })
  })
})

describe('replies', () => {
  it('stay small whatever is stored, and go on at a cursor', async () => {
    await using client = await connect('waymark')
    const { context } = client.project
    for (let at = 1; at <= 60; at += 1) {
      const content = `Much is to be said about gaps ${at}. `.repeat(200)
      await execute(context, createTask, { title: `Task ${at} ${'long '.repeat(60)}`, content })
      await execute(context, createEntity, { type: 'decision', title: `Gap ${at}`, content })
    }
    await client.call('message_send', { body: 'Long. '.repeat(2000) })
    const ids = Array.from({ length: 60 }, (_, at) => String(2 * at + 1))
    for (const [name, args] of [
      ['brief', {}],
      ['recall', { query: 'gaps' }],
      ['recall', { query: 'type:decision' }],
      ['recall', { id: '2' }],
      ['task_get', {}],
      ['task_get', { ids }],
      ['task_next', { limit: 50 }],
      ['inbox', { all: true }],
      ['events', { since: 0 }],
    ] as const) {
      expect(await sizeOf(client, name, args), name).toBeLessThan(LARGEST_REPLY)
      const small = await sizeOf(client, name, { ...args, max_tokens: 300 })
      expect(small, name).toBeLessThan(LARGEST_REPLY / 3)
    }
    const seen = new Set<unknown>()
    let cursor: unknown
    do {
      const page = await client.call('task_get', cursor === undefined ? {} : { cursor })
      for (const { number } of page['tasks'] as Fields[]) seen.add(number)
      cursor = page['next_cursor']
    } while (cursor !== undefined)
    expect(seen.size).toBe(60)
    for (const far of [50, 1_234_567]) {
      expect(await client.call('task_get', { blocked: true, cursor: far })).toMatchObject({
        tasks: [],
      })
      expect(await client.call('recall', { query: 'gaps', cursor: far })).toEqual(
        await client.call('recall', { query: 'gaps', cursor: String(far) }),
      )
    }
    expect(await client.call('task_get', { ids })).toMatchObject({ left_out: expect.any(Array) })
  })
})
