import { describe, expect, it } from 'vitest'
import type { Frame } from './event-frames.ts'
import { type Board, type Fields, type Row, setupLive } from './live-site.ts'

/** Rows by number, as a page would keep them. */
function toState({ columns, rows }: Pick<Board, 'columns' | 'rows'>): Map<number, Fields> {
  const cards = rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])))
  return new Map(cards.map((card) => [Number(card['number']), card]))
}

function apply(state: Map<number, Fields>, { data }: Frame): void {
  const {
    columns = [],
    tasks = [],
    removed = [],
  } = data as {
    columns?: readonly string[]
    tasks?: readonly Row[]
    removed?: readonly number[]
  }
  for (const [number, card] of toState({ columns, rows: tasks })) state.set(number, card)
  for (const number of removed) state.delete(number)
}

describe('the board', () => {
  it('has every open task with its column, its holder and what it waits for [board-rows]', async () => {
    await using live = await setupLive()
    await live.call('task.create', { title: 'Schema' })
    await live.call('task.create', { title: 'Login', depends_on: ['1'], labels: ['auth'] })
    await live.call('task.create', { title: 'Docs' })
    await live.call('task.claim', { id: '1' }, live.agent('ada'))
    await live.call('task.complete', { id: '3', needs_verification: true })
    await live.call(
      'message.send',
      { body: 'Which format?', to: 'owner', task: '2' },
      live.agent('bo'),
    )
    const board = await live.board()
    const state = toState(board)
    expect(state.get(1)).toMatchObject({ column: 'in_progress', holder: 'ada' })
    expect(state.get(2)).toMatchObject({
      column: 'waiting',
      waits_for: [1],
      labels: ['auth'],
      questions: 1,
    })
    expect(state.get(3)).toMatchObject({ column: 'to_verify' })
    const counts = { ready: 0, in_progress: 1, waiting: 1, to_verify: 1, done: 0 }
    expect(board.totals).toEqual(counts)
    await live.call('task.verify', { id: '3' })
    expect((await live.board()).totals).toEqual({ ...counts, to_verify: 0, done: 1 })
    const labelled = await live.call('board.show', { labels: ['auth'], columns: ['number'] })
    expect(labelled).toMatchObject({ columns: ['number'], rows: [[2]] })
  })
})

describe('the stream', () => {
  it('sends what happens with the rows that it changes, also of tasks that were blocked [stream-rows]', async () => {
    await using live = await setupLive()
    await live.call('task.create', { title: 'Schema' })
    await live.call('task.create', { title: 'Login', depends_on: ['1'] })
    await live.call('task.create', { title: 'Form', parent: '2' })
    const board = await live.board()
    const state = toState(board)
    expect(state.get(3)).toMatchObject({ column: 'waiting', parent: 2 })
    await using stream = await live.follow(`since=${board.cursor}&rows=task`)
    await live.call('task.claim', { id: '1' }, live.agent('ada'))
    await live.call('task.complete', { id: '1' }, live.agent('ada'))
    const frames = await stream.until(({ data }) => JSON.stringify(data).includes('task.done'))
    const events = frames.flatMap(({ data }) => data['events'] as Row[])
    expect(events.map(([id]) => id)).toEqual(events.map((_, at) => board.cursor + 1 + at))
    const done = events.find(([, type]) => type === 'task.done')
    expect(done?.slice(3)).toEqual([expect.stringMatching(/^A/), 'ada', 1, 'Schema'])
    for (const frame of frames) apply(state, frame)
    expect(state.get(3)).toMatchObject({ column: 'ready' })
    expect(state).toEqual(toState(await live.board()))
    expect(frames.at(-1)?.data['totals']).toEqual((await live.board()).totals)
  })

  it('tells of deletions, and goes on where a cursor ends without loss or doubles [stream-resumes]', async () => {
    await using live = await setupLive()
    const { cursor } = await live.board()
    for (const title of ['a', 'b', 'c']) await live.call('task.create', { title })
    const seen: unknown[] = []
    let since = cursor
    {
      await using stream = await live.follow(`since=${since}&rows=task`)
      const first = await stream.next()
      seen.push(...((first?.data['events'] ?? []) as Row[]).map(([id]) => id))
      since = first?.id ?? 0
    }
    await live.call('entity.delete', { id: '2' })
    await using stream = await live.follow(`since=${since}&rows=task`)
    const frames = await stream.until(({ data }) => data['removed'] !== undefined)
    seen.push(...frames.flatMap(({ data }) => (data['events'] as Row[]).map(([id]) => id)))
    expect(frames.at(-1)?.data['removed']).toEqual([2])
    const { latest } = await live.call('event.list', {})
    expect(seen).toEqual(
      Array.from({ length: Number(latest) - cursor }, (_, at) => cursor + 1 + at),
    )
  })

  it('says that a cursor is behind, instead of leaving a gap [stream-behind]', async () => {
    await using live = await setupLive()
    await live.call('task.create', { title: 'a' })
    await using stream = await live.follow('since=999999')
    expect(await stream.next()).toMatchObject({ event: 'behind', data: { cursor: 1 } })
    expect(await stream.next()).toBeUndefined()
  })

  it('ends when its session ends, and refuses what it does not know [stream-session]', async () => {
    await using live = await setupLive()
    await using stream = await live.follow('since=0')
    live.pages.endAll()
    await live.call('task.create', { title: 'a' }, live.agent('ada'))
    expect(await stream.until(() => false)).toEqual([])
    const secret = { headers: { authorization: `Bearer ${live.site.secret}` } }
    for (const query of ['sinc=1', 'since=x', 'since=-1', 'rows=prompt', 'types=bogus'])
      expect((await live.site.ask(`/api/event.stream?${query}`, secret)).status, query).toBe(400)
    const post = await live.site.ask('/api/event.stream', { ...secret, method: 'POST' })
    expect(post.status).toBe(405)
  })

  it('passes on who edits what, and keeps none of it [stream-presence]', async () => {
    await using live = await setupLive()
    const { cursor } = await live.board()
    await using stream = await live.follow(`since=${cursor}`)
    const response = await live.site.ask('/ui/presence', {
      method: 'POST',
      headers: { authorization: `Bearer ${live.token}`, 'content-type': 'application/json' },
      body: '{"subject":"12","editing":"content"}',
    })
    expect(response.status).toBe(204)
    expect(await stream.next()).toMatchObject({
      event: 'presence',
      data: { subject: '12', editing: 'content' },
    })
    expect((await live.board()).cursor).toBe(cursor)
  })
})

describe('events', () => {
  it('are told apart by agent, subject and time, and say which fields changed [event-filters]', async () => {
    await using live = await setupLive()
    await live.call('task.create', { title: 'a' }, live.agent('ada'))
    await live.call('task.create', { title: 'b' }, live.agent('bo'))
    await live.call('task.update', { id: '1', title: 'A', priority: 'high' }, live.agent('ada'))
    const list = async (input: object) =>
      (await live.call('event.list', input))['events'] as (Fields & { id: number })[]
    const ofAda = await list({ agents: ['ada'], types: ['entity.created', 'entity.updated'] })
    expect(ofAda.map(({ type }) => type)).toEqual(['entity.created', 'entity.updated'])
    expect(ofAda[1]).toMatchObject({ data: { changed: ['title', 'priority'] } })
    const id = String(ofAda[0]?.['agent_id'])
    expect(await list({ agents: [id], types: ['entity.updated'] })).toHaveLength(1)
    expect(
      (await list({ subjects: ['2'] })).every(({ data }) => (data as Fields)['number'] === 2),
    ).toBe(true)
    const all = await list({})
    const before = await list({ before: all.at(-1)?.id, newest: true, limit: 2 })
    expect(before.map((event) => event.id)).toEqual(
      all
        .slice(-3, -1)
        .toReversed()
        .map((e) => e.id),
    )
    expect(await list({ until_time: '2001-01-01T00:00:00Z' })).toEqual([])
    expect(await list({ since_time: '2001-01-01T00:00:00Z' })).toHaveLength(all.length)
    const { buckets } = await live.call('event.counts', { bucket: 31_536_000, by: 'type' })
    const created = (buckets as Row[]).filter(([, type]) => type === 'entity.created')
    expect(created.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(2)
  })
})
