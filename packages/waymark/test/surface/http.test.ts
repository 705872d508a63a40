import { describe, expect, it } from 'vitest'
import { handleHttp } from '../../src/surface/http.ts'
import { type Setup, setup } from '../setup.ts'

async function ask(project: Setup, path: string, init: RequestInit = {}) {
  const response = await handleHttp(new Request(`http://localhost${path}`, init), project.context)
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
    ['/elsewhere', {}, 404, 'no route'],
    ['/api/__proto__.x', {}, 404, 'no route'],
    ['/api/entity.create', {}, 405, 'takes POST'],
    ['/api/entity.create', post('{'), 400, 'body: must be JSON'],
    [
      '/api/entity.create',
      post('title=x', 'application/x-www-form-urlencoded'),
      400,
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
      400,
      { error: { details: { field: 'body', rule: 'too_large' } } },
    ])
  })
})
