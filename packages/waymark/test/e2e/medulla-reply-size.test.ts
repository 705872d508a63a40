import { describe, expect, it } from 'vitest'
import { type Fields, type MedullaSession, startMedulla } from './medulla-client.ts'

const LARGEST_REPLY = 10_000
const OF_EACH_TYPE = 10
const WAITING = 60

/** Titles, texts, tags and lists as long as they may be, in characters that take much room in JSON. */
const PROPERTIES: Readonly<Record<string, Fields>> = {
  decision: {
    context: 'why "so" '.repeat(400),
    consequences: Array.from({ length: 40 }, () => '\\'.repeat(900)),
  },
  task: { assignee: 'ä'.repeat(100), due_date: '2026-12-01' },
  note: {},
  prompt: {
    template: 'say {{what}} '.repeat(300),
    variables: Array.from({ length: 200 }, (_, at) => `variable_${at}`.padEnd(90, 'x')),
  },
  component: { owner: '☃'.repeat(100) },
  link: { url: `https://example.com/${'x'.repeat(1_900)}` },
}

function large(type: string, at: number): Fields {
  return {
    op: 'create',
    type,
    title: `${type} ${at} ${'"'.repeat(480)}`,
    content: 'postgres 😀 text\n'.repeat(300),
    tags: Array.from({ length: 50 }, (_, tag) => `tag ${tag} `.padEnd(100, 'ö')),
    properties: PROPERTIES[type],
  }
}

/** Entity 1 is related to many; task `blocked` waits for many tasks. */
async function fill(session: MedullaSession): Promise<{ center: string; blocked: string }> {
  const ids: string[] = []
  const add = async (operations: readonly Fields[]): Promise<void> => {
    const { results } = await session.call('entity_batch', { operations })
    ids.push(...(results as { id: string }[]).map(({ id }) => id))
  }
  for (const type of Object.keys(PROPERTIES)) {
    await add(Array.from({ length: OF_EACH_TYPE }, (_, at) => large(type, at)))
  }
  const [center = ''] = ids
  const lonely = ids.length
  const small = { op: 'create', type: 'task', title: 'a task with an ordinary title' }
  await add([{ ...small, title: 'waits' }])
  const blocked = ids[lonely] ?? ''
  const relations = [`blocks:${blocked}`, `implements:${center}`]
  await add(Array.from({ length: WAITING }, () => ({ ...small, relations })))
  return { center, blocked }
}

function sizeOf(reply: unknown): number {
  return Buffer.byteLength(JSON.stringify(reply))
}

describe('a reply stays under 10 kB by default, however long the texts are', () => {
  it('of every tool that lists, and of what a change answers with [medulla-reply-size-every-tool]', async () => {
    await using session = await startMedulla()
    const { center, blocked } = await fill(session)
    const replyOf = async (name: string, args: Fields = {}): Promise<number> =>
      sizeOf(await session.client.callTool({ name, arguments: args }))
    const calls: readonly [string, Fields?][] = [
      ['entity_list'],
      ...Object.keys(PROPERTIES).map((type): [string, Fields] => ['entity_list', { type }]),
      ['entity_update', { id: center, title: 'short' }],
      ['search_fulltext', { query: 'postgres' }],
      ['search_semantic', { query: 'postgres' }],
      ['search_query', { query: 'postgres type:decision' }],
      ['search_query', { type: 'note' }],
      ['graph_relations', { id: center }],
      ['graph_relations', { id: blocked }],
      ['graph_orphans'],
      ['graph_path', { from_id: center, to_id: blocked }],
      ['task_ready'],
      ['task_next'],
      ['task_blocked'],
      ['task_blocked', { id: blocked }],
      ['task_complete', { id: '14' }],
      ['task_reschedule', { id: '15', due_date: '2026-12-24' }],
      ['decision_supersede', { old_id: '2', new_id: '3' }],
      ['sync_snapshot', {}],
      ['ping'],
    ]
    const sizes = []
    for (const [name, args] of calls) {
      sizes.push(`${name} ${JSON.stringify(args ?? {})}: ${await replyOf(name, args)}`)
    }
    expect(sizes.filter((line) => Number(line.split(': ').at(-1)) >= LARGEST_REPLY)).toEqual([])
  })

  it('of every resource, and of every prompt that is filled with what is stored [medulla-reply-size-every-resource]', async () => {
    await using session = await startMedulla()
    const { center } = await fill(session)
    const { resources } = await session.client.listResources()
    const addresses = [
      ...resources.map(({ uri }) => uri),
      ...Object.keys(PROPERTIES).map((type) => `medulla://entities/${type}`),
      'medulla://tasks/due/2026-12-01',
      'medulla://context/postgres',
    ]
    const sizes = []
    for (const uri of addresses) {
      sizes.push(`${uri}: ${sizeOf(await session.client.readResource({ uri }))}`)
    }
    const prompts: readonly [string, Record<string, string>][] = [
      ['project_summary', {}],
      ['decision_review', {}],
      ['decision_review', { id: center }],
      ['task_breakdown', { id: '12' }],
      ['onboard_contributor', {}],
      ['daily_standup', {}],
    ]
    for (const [name, args] of prompts) {
      const reply = await session.client.getPrompt({ name, arguments: args })
      sizes.push(`${name}: ${sizeOf(reply)}`)
    }
    expect(sizes.filter((line) => Number(line.split(': ').at(-1)) >= LARGEST_REPLY)).toEqual([])
  })
})
