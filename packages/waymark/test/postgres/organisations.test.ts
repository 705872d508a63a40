import { expect, it } from 'vitest'
import { createIssuer } from '../../../baton/test/auth/issuer.ts'
import { SCOPES } from '../../src/core/scopes.ts'
import {
  createDatabase,
  createTeamSite,
  ORIGIN,
  type TeamSite,
  type TestDatabase,
} from './team-site.ts'

interface Status {
  readonly projects: readonly { readonly name: string; readonly organisation: string }[]
}

interface Refused {
  readonly error: { readonly code: string; readonly message: string }
}

const put = (body: object): RequestInit => ({
  method: 'PUT',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
})

async function tokenOf(database: TestDatabase, name: string, ...words: readonly string[]) {
  const created = ['token', 'create', name, '--project', 'api', ...words]
  return (await database.admin<{ token: string }>(...created)).token
}

async function json<T>(answer: Promise<Response>): Promise<T> {
  return (await (await answer).json()) as T
}

it('members of an organisation have their role in its projects and in no others [team-organisations]', async () => {
  await using database = await createDatabase()
  await database.admin('init', 'api', 'web', '--organisation', 'acme')
  const { projects } = await database.admin<Status>('init', 'other')
  expect(projects.map(({ organisation }) => organisation)).toEqual(['acme', 'default', 'acme'])
  await database.admin('member', 'add', 'ann', '--organisation', 'acme', '--role', 'owner')
  await database.admin('member', 'add', 'bo', '--organisation', 'acme', '--role', 'reader')
  await database.admin('member', 'add', 'bo', '--project', 'web', '--role', 'agent')
  await using issuer = await createIssuer(SCOPES)
  await using site = await createTeamSite(database, { issuer })
  const as = async (sub: string, claims: object = {}) =>
    await issuer.sign({
      ...issuer.goodClaims(),
      sub,
      aud: ORIGIN,
      scope: SCOPES.join(' '),
      ...claims,
    })
  const [ann, bo, claimed] = [
    await as('ann'),
    await as('bo'),
    await as('cy', { waymark_roles: ['acme/*:reader'] }),
  ]
  const create = async (project: string, token: string) =>
    (await site.call(`/projects/${project}/api/task.create`, { title: 'x' }, token)).status
  expect([await create('api', ann), await create('web', ann)]).toEqual([200, 200])
  expect(await create('other', ann)).toBe(404)
  // The role in the project itself wins.
  expect([await create('api', bo), await create('web', bo)]).toEqual([403, 200])
  expect((await site.call('/projects/api/api/task.list', {}, claimed)).status).toBe(200)
  expect((await site.call('/projects/other/api/task.list', {}, claimed)).status).toBe(404)

  const at = '/projects/api/team/organisation'
  expect(await json(site.ask(at, {}, ann))).toMatchObject({
    name: 'acme',
    role: 'owner',
    projects: ['api', 'web'],
    members: [{ subject: 'ann' }, { subject: 'bo' }],
  })
  expect(await json(site.ask(at, {}, bo))).toEqual({
    name: 'acme',
    role: 'reader',
    projects: ['api', 'web'],
  })
  expect((await site.ask(`${at}/dee`, put({ role: 'agent' }), bo)).status).toBe(403)
  expect((await site.ask(`${at}/dee`, put({ role: 'agent' }), ann)).status).toBe(200)
  expect(await create('web', await as('dee'))).toBe(200)
  expect((await site.ask(`${at}/dee`, { method: 'DELETE' }, ann)).status).toBe(200)
  expect(await create('web', await as('dee'))).toBe(404)

  await database.admin('organisation', 'create', 'rivals')
  await database.admin('organisation', 'move', 'rivals', '--project', 'web')
  expect(await create('web', ann)).toBe(404)
  const { organisations } = await database.admin<{ organisations: readonly object[] }>(
    'organisation',
    'list',
  )
  expect(organisations).toMatchObject([
    { name: 'acme', projects: ['api'], members: 2 },
    { name: 'default', projects: ['other'] },
    { name: 'rivals', projects: ['web'] },
  ])
  const { entries } = await database.admin<{ entries: readonly { action: string }[] }>(
    'audit',
    '--organisation',
    'acme',
  )
  expect(entries.map(({ action }) => action)).toEqual([
    'organisation.member_removed',
    'organisation.member_set',
    'organisation.member_set',
    'organisation.member_set',
    'organisation.created',
  ])
  await expect(database.admin('member', 'list')).rejects.toThrow('--organisation')
  await expect(database.admin('member', 'list', '--organisation', 'none')).rejects.toThrow(
    'organisation: no such one',
  )
})

it('requests of a member and of a project are limited over all replicas [team-rate-limits]', async () => {
  await using database = await createDatabase()
  await database.admin('init', 'api')
  const [ann, bo] = [await tokenOf(database, 'ann'), await tokenOf(database, 'bo')]
  const quota = (...words: readonly string[]) =>
    database.admin('quota', 'set', 'requests_per_minute', ...words, '--project', 'api')
  await quota('3', '--member', 'ann')
  await quota('100', '--member', '*')
  await quota('5')
  // Counted for a minute of the database that does not end during the test.
  await untilMinuteIsYoung(database)
  await using first = await createTeamSite(database)
  await using second = await createTeamSite(database)
  const list = async (site: TeamSite, token: string) =>
    (await site.call('/api/task.list', {}, token)).status
  expect([await list(first, ann), await list(second, ann), await list(first, ann)]).toEqual([
    200, 200, 200,
  ])
  const refused = await second.ask('/api/task.list', {}, ann)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(((await refused.json()) as Refused).error).toMatchObject({
    code: 'busy',
    message: expect.stringContaining('ann may send 3 requests per minute'),
    retryable: true,
    details: { reason: 'rate_limited', limit: 3 },
  })
  expect((await second.ask('/mcp', { method: 'POST', body: '{}' }, ann)).status).toBe(429)
  expect([await list(second, bo), await list(first, bo)]).toEqual([200, 200])
  expect([await list(second, bo), await list(first, bo)]).toEqual([429, 429])
  // The operator is not limited, and lifts it.
  const lifted = await first.ask(
    '/projects/api/team/quotas/requests_per_minute',
    put({ amount: null }),
  )
  expect(lifted.status).toBe(200)
  expect(await list(first, bo)).toBe(200)
})

async function untilMinuteIsYoung(database: TestDatabase): Promise<void> {
  await database.query(
    'SELECT pg_sleep(CASE WHEN s > 50 THEN 60.1 - s ELSE 0 END) FROM extract(second FROM clock_timestamp()) AS s',
  )
}

it('a project that has used up its quota goes on with what it has [team-quotas]', async () => {
  await using database = await createDatabase()
  await database.admin('init', 'api', '--organisation', 'acme')
  const owner = await tokenOf(database, 'ann', '--role', 'owner')
  await database.admin('quota', 'set', 'entities', '2', '--project', 'api')
  await using site = await createTeamSite(database)
  const call = <T = Refused>(operation: string, input: object) =>
    site.call<T>(`/api/${operation}`, input, owner)
  const one = await call<{ task: { id: string } }>('task.create', { title: 'One' })
  await call('entity.create', { type: 'note', title: 'Two' })
  for (const [operation, input] of [
    ['task.create', { title: 'Three' }],
    ['entity.create', { type: 'note', title: 'Three' }],
    ['entity.batch', { operations: [{ op: 'create', type: 'note', title: 'Three' }] }],
    ['replica.take', { lines: [] }],
  ] as const) {
    const { status, body } = await call(operation, input)
    expect(status).toBe(507)
    expect(body.error).toMatchObject({
      code: 'storage_full',
      message: expect.stringContaining('entities: the project has 2 and may have 2'),
    })
  }
  const rename = { operations: [{ op: 'update', id: one.body.task.id, title: 'First' }] }
  expect((await call<object>('entity.batch', rename)).body).toMatchObject({ succeeded: 1 })
  expect((await call('task.claim', { id: one.body.task.id })).status).toBe(200)
  expect((await call('task.complete', { id: one.body.task.id })).status).toBe(200)
  // Its owner shares out requests, the organisation gives room.
  const quotas = '/projects/api/team/quotas'
  expect((await site.ask(`${quotas}/entities`, put({ amount: 9 }), owner)).status).toBe(403)
  const each = put({ amount: 600, member: '*' })
  expect((await site.ask(`${quotas}/requests_per_minute`, each, owner)).status).toBe(200)
  expect((await site.ask(`${quotas}/entities`, put({ amount: 9 }))).status).toBe(200)
  expect((await call('task.create', { title: 'Three' })).status).toBe(200)
  expect(await json(site.ask(quotas, {}, owner))).toEqual({
    quotas: [
      { kind: 'entities', member: '', amount: 9 },
      { kind: 'requests_per_minute', member: '*', amount: 600 },
    ],
  })
  for (const [words, said] of [
    [['bogus', '1'], 'kind: must be one of'],
    [['entities', 'many'], 'amount: must be a whole number'],
    [['entities', '1', '--member', 'ann'], 'member: entities is a quota of the project'],
  ] as const)
    await expect(database.admin('quota', 'set', ...words, '--project', 'api')).rejects.toThrow(said)
})
