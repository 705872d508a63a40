import { describe, expect, it } from 'vitest'
import { execute } from '../../src/execute.ts'
import { joinAgent } from '../../src/operations/agents.ts'
import { type Setup, setup } from '../setup.ts'
import { createTestSite } from './test-site.ts'

async function ask(project: Setup, path: string, init: RequestInit = {}) {
  await using site = createTestSite(project.directory)
  const response = await site.ask(path, init)
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  }
}

function post(body: string, type = 'application/json'): RequestInit {
  return { method: 'POST', body, headers: { 'content-type': type } }
}

describe('routes', () => {
  it('what reads is asked with GET, and its query is decoded by the schema', async () => {
    await using project = await setup()
    for (const title of ['A', 'B', 'C'])
      await ask(project, '/api/entity.create', post(JSON.stringify({ type: 'note', title })))
    const { status, body } = await ask(project, '/api/entity.list?type=notes&limit=2&offset=1')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      total: 3,
      limit: 2,
      offset: 1,
      entities: [{ title: 'B' }, { title: 'C' }],
    })
  })

  it.each([
    ['/api/entity.list?limit=x', {}, 400, 'limit: must be a number'],
    ['/api/entity.list?colour=red', {}, 400, 'colour'],
    ['/api/entity.get?id=9', {}, 404, 'no entity'],
    ['/api/entity.nothing', {}, 404, 'no route'],
    ['/elsewhere', {}, 404, 'not found'],
    ['/projects/other/api/entity.list', {}, 404, 'no such project'],
    ['/api/agent.list?include_offline=maybe', {}, 400, 'include_offline: must be true or false'],
    ['/api/__proto__.x', {}, 404, 'no route'],
    ['/api/entity.create', {}, 405, 'takes POST'],
    ['/api/entity.create', post('{'), 400, 'body: must be JSON'],
    [
      '/api/entity.create',
      post('title=x', 'application/x-www-form-urlencoded'),
      415,
      'must be application/json',
    ],
    ['/api/entity.create', post('null'), 400, 'input'],
  ])('%s %o answers %i', async (path, init, status, message) => {
    await using project = await setup()
    const answer = await ask(project, path, init)
    expect(answer).toMatchObject({
      status,
      body: { error: { message: expect.stringContaining(message) } },
    })
    expect(await project.context.store.events.latest()).toBe(0)
  })

  it('a body that is too large is refused before it is read to the end', async () => {
    await using project = await setup()
    const { status, body } = await ask(
      project,
      '/api/entity.create',
      post(`"${'x'.repeat(5 * 1024 * 1024)}"`),
    )
    expect([status, body]).toMatchObject([
      413,
      { error: { details: { field: 'body', rule: 'too_large' } } },
    ])
  })

  it('true and false in a query are read as such', async () => {
    await using project = await setup()
    const { status } = await ask(project, '/api/agent.list?include_offline=true')
    expect(status).toBe(200)
  })

  it('a change that is repeated with its key is made once', async () => {
    await using project = await setup()
    const init = post(JSON.stringify({ type: 'note', title: 'once' }))
    const headers = { ...(init.headers as object), 'idempotency-key': 'k1' }
    for (const _ of [1, 2]) await ask(project, '/api/entity.create', { ...init, headers })
    expect((await ask(project, '/api/entity.list')).body).toMatchObject({ total: 1 })
  })

  it('a name in a header tells the agents of one owner apart', async () => {
    await using project = await setup()
    await ask(project, '/api/task.create', post(JSON.stringify({ title: 'one task' })))
    const claim = async (agent: string) => {
      const init = post(JSON.stringify({ id: '1' }))
      const headers = { ...(init.headers as object), 'waymark-agent': agent }
      return (await ask(project, '/api/task.claim', { ...init, headers })).status
    }
    expect([await claim('ann'), await claim('bob'), await claim('ann')]).toEqual([200, 409, 200])
  })

  it('nobody acts as an agent of somebody else', async () => {
    await using project = await setup()
    const { agent } = (await execute(project.as('ann'), joinAgent, {})) as { agent: { id: string } }
    const { status, body } = await ask(
      project,
      '/api/agent.heartbeat',
      post(JSON.stringify({ agent_id: agent.id })),
    )
    expect([status, body]).toMatchObject([403, { error: { code: 'forbidden' } }])
  })
})
