import { describe, expect, it } from 'vitest'
import { createIssuer } from '../../../baton/test/auth/issuer.ts'
import { sendModern } from '../../../baton/test/http/modern-client.ts'
import { MODERN_META } from '../../../baton/test/support/sample-server.ts'
import { SCOPES } from '../../src/core/scopes.ts'
import { setup } from '../setup.ts'
import { createTestSite } from './test-site.ts'

type Fields = Record<string, unknown>

/** Two people with tokens of their own, at a server that neither of them runs. */
async function setupPeople() {
  const project = await setup()
  const issuer = await createIssuer(SCOPES)
  const site = createTestSite(project.directory, { issuer })
  const ask = async (claims: object, path: string, body: object, headers: object = {}) => {
    const token = await site.tokenFor(SCOPES, claims)
    const response = await site.ask(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...headers,
      },
    })
    return { status: response.status, body: (await response.json()) as Fields }
  }
  return {
    site,
    ask,
    /** Who the events say has made the last entity, and how it is labelled. */
    lastAuthor: async () => {
      const { entities } = (await ask({ sub: 'reader' }, '/api/entity.list', {})).body as {
        entities: { id: string; number: number; created_by: string }[]
      }
      const last = entities.toSorted((one, other) => other.number - one.number)[0]
      const { body } = await ask({ sub: 'reader' }, '/api/event.list', { limit: 500 })
      const events = body['events'] as { subject: string; type: string; agent: string }[]
      const made = events.find(({ subject, type }) => subject === last?.id && /created/.test(type))
      const entity = (await ask({ sub: 'reader' }, '/api/entity.get', { id: String(last?.number) }))
        .body as { trust?: Fields }
      return { by: last?.created_by, event: made?.agent, trust: entity.trust }
    },
    [Symbol.asyncDispose]: async () => {
      await site[Symbol.asyncDispose]()
      await issuer[Symbol.asyncDispose]()
      await project[Symbol.asyncDispose]()
    },
  }
}

const NOTE = { type: 'note', title: 'x' }

describe('over OAuth, whoever writes', () => {
  it('is not taken for somebody else, whatever claims of a name there are [http-identity-taken-somebody]', async () => {
    await using people = await setupPeople()
    await people.ask({ sub: 'ann' }, '/api/entity.create', NOTE)
    const ann = await people.lastAuthor()
    expect(ann).toMatchObject({ by: 'ann', event: 'ann', trust: { proved: true } })
    const called = { sub: 'ann', name: 'Ann', preferred_username: 'a' }
    await people.ask(called, '/api/entity.create', NOTE)
    expect((await people.lastAuthor()).by).toBe('Ann (ann)')
    for (const claims of [
      { name: 'ann' },
      { preferred_username: 'ann' },
      { name: 'Ann (ann)' },
      { name: `\u202eann\u0000${' '.repeat(500)}` },
    ]) {
      await people.ask({ sub: 'bob', ...claims }, '/api/entity.create', NOTE)
      const bob = await people.lastAuthor()
      expect(bob.by).toMatch(/^[^()\p{C}]+ \(bob\)$/u)
      expect(bob).toMatchObject({ event: bob.by, trust: { proved: true } })
    }
  })

  it('keeps a name of its own, however long or odd the subject is', async () => {
    await using people = await setupPeople()
    const long = 'x'.repeat(200)
    const subjects = [`${long}1`, `${long}2`, 'a (b)', 'a', 'b)', `a b`, 'ａ', `${'x'.repeat(23)}~`]
    const ownerByName = new Map<string, string>()
    for (const sub of subjects) {
      for (const claims of [{}, { name: 'a (b' }]) {
        const { body } = await people.ask({ sub, ...claims }, '/api/agent.join', { fresh: true })
        const { name } = body['agent'] as { name: string }
        expect(name.length).toBeLessThanOrEqual(100)
        expect(ownerByName.get(name) ?? sub, name).toBe(sub)
        ownerByName.set(name, sub)
      }
    }
    expect(ownerByName.size).toBeGreaterThan(subjects.length)
  })

  it('does not borrow a name by joining, by a header or by what the client calls itself', async () => {
    await using people = await setupPeople()
    await people.ask({ sub: 'ann' }, '/api/agent.join', {})
    const joined = await people.ask({ sub: 'bob' }, '/api/agent.join', { name: 'ann' })
    expect(joined.body['agent']).toMatchObject({ name: 'ann (bob)' })
    await people.ask({ sub: 'bob' }, '/api/entity.create', NOTE, { 'waymark-agent': 'ann' })
    expect(await people.lastAuthor()).toMatchObject({ by: 'bob', event: 'bob' })
    const token = await people.site.tokenFor(SCOPES, { sub: 'bob' })
    const response = await sendModern(
      { url: 'http://localhost/mcp', send: people.site.site.fetch },
      {
        method: 'tools/call',
        params: { name: 'remember', arguments: { type: 'note', title: 'forged' } },
        headers: { authorization: `Bearer ${token}` },
        meta: {
          ...MODERN_META,
          'io.modelcontextprotocol/clientInfo': { name: 'ann', version: '1' },
        },
      },
    )
    expect(await response.text()).not.toContain('"isError":true')
    expect(await people.lastAuthor()).toMatchObject({
      by: 'bob',
      event: 'bob',
      trust: { proved: true },
    })
  })

  it.each([
    ['ann', { sub: 'ann' }],
    ['Ann (ann)', { sub: 'ann', name: 'Ann' }],
  ])('as %s keeps the name of an agent, however often it joins with it', async (_, claims) => {
    await using people = await setupPeople()
    for (const name of ['worker', 'worker (ann)', 'worker (ann)', 'w'.repeat(100)]) {
      const { body } = await people.ask(claims, '/api/agent.join', { name })
      const joined = (body['agent'] as { name: string }).name
      expect(joined).toBe(`${name.replace(' (ann)', '').slice(0, 94)} (ann)`)
      const again = await people.ask(claims, '/api/agent.join', { name: joined })
      expect(again.body['agent']).toMatchObject({ name: joined })
    }
  })

  it('reaches its own agents by the names that it gave them, and those of others by their whole names', async () => {
    await using people = await setupPeople()
    const ann = { sub: 'ann', name: 'Ann' }
    const join = async (claims: object, name: string) => {
      const { body } = await people.ask(claims, '/api/agent.join', { name, fresh: true })
      return (body['agent'] as { id: string }).id
    }
    const send = async (claims: object, to: string) => {
      const { body } = await people.ask(claims, '/api/message.send', { to, body: 'hello' })
      return body['delivered_to'] ?? body['error']
    }
    const worker = await join(ann, 'worker')
    const other = await join({ sub: 'bob' }, 'worker')
    expect(await send(ann, 'worker')).toEqual([worker])
    expect(await send({ sub: 'bob' }, 'worker')).toEqual([other])
    expect(await send({ sub: 'bob' }, 'worker (ann)')).toEqual([worker])
    expect(await send({ sub: 'cam' }, 'worker')).toMatchObject({ code: 'not_found' })
  })

  it('gets no rights of an agent by its id', async () => {
    await using people = await setupPeople()
    const { body } = await people.ask({ sub: 'ann' }, '/api/agent.join', {})
    const { id } = body['agent'] as { id: string }
    await people.ask({ sub: 'ann' }, '/api/task.create', { title: 'held' })
    await people.ask({ sub: 'ann' }, '/api/task.claim', { id: '1', agent_id: id })
    for (const [operation, input] of [
      ['agent.heartbeat', {}],
      ['agent.leave', {}],
      ['task.claim', { id: '1' }],
      ['task.release', { id: '1' }],
      ['message.send', { body: 'x' }],
      ['message.list', {}],
    ] as const) {
      const answer = await people.ask({ sub: 'bob' }, `/api/${operation}`, {
        ...input,
        agent_id: id,
      })
      expect([answer.status, answer.body], operation).toMatchObject([
        403,
        { error: { code: 'forbidden' } },
      ])
    }
  })
})
