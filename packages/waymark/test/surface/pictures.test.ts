import { expect, it } from 'vitest'
import { type Row, setupLive } from './live-site.ts'

it('the graph comes whole, with what is left out counted, or as groups [graph-show]', async () => {
  await using live = await setupLive()
  await live.call('entity.create', { type: 'component', title: 'Parser' })
  for (let at = 0; at < 60; at += 1)
    await live.call('entity.create', {
      type: 'note',
      title: `Note ${at} ${'about the parser '.repeat(8)}`,
      tags: [at % 2 === 0 ? 'even' : 'odd'],
      relations: ['documents:1'],
    })
  const whole = await live.call('graph.show', {})
  expect([whole['nodes'], whole['edges'], whole['truncated']]).toEqual([
    expect.objectContaining({ length: 61 }),
    expect.objectContaining({ length: 60 }),
    false,
  ])
  const near = await live.call('graph.show', { root: '2', depth: 1 })
  const [own, parser] = near['nodes'] as Row[]
  expect([own?.[0], own?.[4], parser?.[0], parser?.[4], parser?.[5]]).toEqual([2, 0, 1, 1, 59])
  const cut = await live.call('graph.show', { limit: 10 })
  expect(cut).toMatchObject({ total: 61, truncated: true })
  const byTag = await live.call('graph.show', { group_by: 'tag' })
  expect(new Map((byTag['groups'] as Row[]).map(([key, , count]) => [key, count]))).toEqual(
    new Map([
      ['', 1],
      ['even', 30],
      ['odd', 30],
    ]),
  )
  expect((byTag['links'] as Row[]).reduce((sum, [, , weight]) => sum + Number(weight), 0)).toBe(60)
  const byComponent = await live.call('graph.show', { group_by: 'component' })
  expect(byComponent['groups']).toEqual([['1', 'Parser', 61]])
})

it('a person gets all neighbours that were asked for, a model as many as fit [graph-reply-budget]', async () => {
  await using live = await setupLive()
  await live.call('entity.create', { type: 'component', title: 'Parser' })
  for (let at = 0; at < 60; at += 1)
    await live.call('entity.create', {
      type: 'note',
      title: `Note ${at} ${'about the parser '.repeat(8)}`,
      relations: ['documents:1'],
    })
  const around = await live.call('graph.around', { id: '1', budget: 100 })
  expect([(around['nodes'] as Row[]).length, around['truncated']]).toEqual([60, false])
  const response = await live.site.askMcp('/mcp', {
    method: 'tools/call',
    params: { name: 'graph_around', arguments: { id: '1', budget: 100 } },
  })
  expect((await response.text()).match(/about the parser about/g)?.length ?? 0).toBeLessThan(60)
})

it('lanes tell each lease with its end and who went on with the task [lane-list]', async () => {
  await using live = await setupLive()
  await live.call('task.create', { title: 'Login' })
  await live.call('task.create', { title: 'Docs' })
  await live.call('task.claim', { id: '1' }, live.agent('ada'))
  await live.call('task.renew', { id: '1' }, live.agent('ada'))
  await live.call('task.take_back', { id: '1', reason: 'urgent' })
  await live.call('task.claim', { id: '1' }, live.agent('bo'))
  await live.call('task.complete', { id: '1' }, live.agent('bo'))
  await live.call('task.claim', { id: '2' }, live.agent('bo'))
  const lanes = await live.call('lane.list', {})
  const agents = lanes['agents'] as { id: string; name: string }[]
  expect(agents.map(({ name }) => name)).toEqual(['ada', 'bo'])
  expect(lanes['spans']).toMatchObject([
    {
      agent_id: agents[0]?.id,
      task: 1,
      end: 'taken_back',
      reason: 'urgent',
      renewals: [expect.any(Number)],
    },
    { agent_id: agents[1]?.id, task: 1, title: 'Login', end: 'done' },
    { agent_id: agents[1]?.id, task: 2, end: 'held', to: null },
  ])
  expect(lanes['handovers']).toMatchObject([{ task: 1, from: agents[0]?.id, to: agents[1]?.id }])
  expect(await live.call('lane.list', { agents: ['nobody'] })).toMatchObject({ spans: [] })
})
