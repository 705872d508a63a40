import { describe, expect, it } from 'vitest'
import { createIssuer } from '../../../baton/test/auth/issuer.ts'
import { SCOPES } from '../../src/core/scopes.ts'
import { createDatabase, createTeamSite, ORIGIN, SECRET, type TestDatabase } from './team-site.ts'

interface Created {
  readonly id: string
  readonly token: string
}

interface Listed {
  readonly tokens: readonly (Record<string, unknown> & { readonly name: string })[]
}

async function createTeam(...projects: readonly string[]) {
  const database = await createDatabase()
  await database.admin('init', ...projects)
  const token = async (name: string, ...words: readonly string[]) =>
    await database.admin<Created>('token', 'create', name, '--project', 'api', ...words)
  return { ...database, token, database }
}

const audit = (database: TestDatabase) =>
  database.admin<{ entries: readonly { action: string; actor: string; subject: string }[] }>(
    'audit',
    '--project',
    'api',
  )

describe('a token of a project', () => {
  it('does what its role allows and no more [team-roles]', async () => {
    await using team = await createTeam('api')
    await using site = await createTeamSite(team)
    const tokens: Record<string, string> = {}
    for (const role of ['reader', 'agent', 'maintainer', 'owner'])
      tokens[role] = (await team.token(role, '--role', role)).token
    const call = async (role: string, operation: string, input = {}) =>
      (await site.call(`/api/${operation}`, input, tokens[role])).status
    const matrix = async (operation: string, input?: object) =>
      await Promise.all(Object.keys(tokens).map((role) => call(role, operation, input)))
    expect(await matrix('task.list')).toEqual([200, 200, 200, 200])
    expect(await matrix('task.create', { title: 'x' })).toEqual([403, 200, 200, 200])
    expect(await matrix('cache.rebuild')).toEqual([403, 403, 200, 200])
    const routes = async (method: string, path: string, body?: object) =>
      await Promise.all(
        Object.values(tokens).map(async (token) => {
          const headers = { 'content-type': 'application/json' }
          const init = body === undefined ? {} : { body: JSON.stringify(body), headers }
          return (await site.ask(`/team/${path}`, { method, ...init }, token)).status
        }),
      )
    for (const path of ['members', 'tokens', 'audit'])
      expect(await routes('GET', path), path).toEqual([403, 403, 200, 200])
    expect(await routes('PUT', 'members/ann', { role: 'agent' })).toEqual([403, 403, 403, 200])
    expect(await routes('POST', 'tokens', { name: 'ci' })).toEqual([403, 403, 403, 200])
    expect(await routes('DELETE', 'members/ann')).toEqual([403, 403, 403, 200])
  })

  it('may be limited to scopes, over MCP as over routes [team-token-scopes]', async () => {
    await using team = await createTeam('api')
    await using site = await createTeamSite(team)
    const { token } = await team.token('ci', '--scope', 'tasks:write')
    expect((await site.call('/api/task.create', { title: 'x' }, token)).status).toBe(200)
    expect((await site.call('/api/task.list', {}, token)).status).toBe(200)
    expect((await site.call('/api/entity.list', {}, token)).status).toBe(403)
    await expect(team.token('ci', '--scope', 'everything')).rejects.toThrow(
      'scopes: must be some of',
    )
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'remember', arguments: { title: 'x' } },
    }
    // A copy has all entities and tasks.
    const status = await team.token('status', '--scope', 'projects:read')
    expect((await site.call('/api/replica.read', {}, status.token)).status).toBe(403)
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const init = { method: 'POST', body: JSON.stringify(call), headers }
    expect((await site.ask('/mcp', init, token)).status).toBe(403)
  })

  it('that is limited to scopes changes no access, whatever its role is [team-token-routes]', async () => {
    await using team = await createTeam('api')
    await using issuer = await createIssuer(SCOPES)
    await using site = await createTeamSite(team, { issuer })
    await team.admin('member', 'add', 'ann', '--project', 'api', '--role', 'owner')
    const sign = (scopes: readonly string[]) =>
      issuer.sign({
        ...issuer.goodClaims(),
        sub: 'ann',
        aud: ORIGIN,
        scope: scopes.join(' '),
      })
    const { token } = await team.token('ci', '--role', 'owner', '--scope', 'tasks:write')
    const reads = await team.token('auditor', '--role', 'maintainer', '--scope', 'projects:read')
    const whole = await team.token('boss', '--role', 'owner')
    const status = async (given: string, method: string, path: string, body?: object) => {
      const headers = { 'content-type': 'application/json' }
      const init = body === undefined ? {} : { body: JSON.stringify(body), headers }
      return (await site.ask(`/team/${path}`, { method, ...init }, given)).status
    }
    const tryAll = async (given: string) => ({
      me: await status(given, 'GET', 'me'),
      listed: await Promise.all(
        ['members', 'tokens', 'quotas', 'audit'].map((path) => status(given, 'GET', path)),
      ),
      organisation: await status(given, 'GET', 'organisation'),
      changed: [
        await status(given, 'POST', 'tokens', { name: 'eve', role: 'owner' }),
        await status(given, 'POST', 'invitations', { name: 'eve', role: 'owner' }),
        await status(given, 'PUT', 'members/eve', { role: 'owner' }),
        await status(given, 'DELETE', 'members/eve'),
        await status(given, 'PUT', 'quotas/requests_per_minute', { amount: 999, member: 'eve' }),
      ],
    })
    const refused = [403, 403, 403, 403, 403]
    for (const given of [token, await sign(['tasks:write']), await sign(['tasks:read'])]) {
      expect(await tryAll(given)).toEqual({
        me: 200,
        listed: [403, 403, 403, 403],
        organisation: 403,
        changed: refused,
      })
    }
    expect(await tryAll(reads.token)).toEqual({
      me: 200,
      listed: [200, 200, 200, 200],
      organisation: 200,
      changed: refused,
    })
    for (const given of [whole.token, await sign(SCOPES)]) {
      const { changed, listed } = await tryAll(given)
      expect([...changed, ...listed], given.slice(0, 4)).toEqual(Array(9).fill(200))
    }
    await using readOnly = await createTeamSite(team, { readOnly: true })
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify({ name: 'eve' }) }
    expect((await readOnly.ask('/team/tokens', init, whole.token)).status).toBe(403)
    expect((await readOnly.ask('/team/tokens', {}, whole.token)).status).toBe(200)
  })

  it('has no role in the organisation, also where a claim names the project [team-token-organisation]', async () => {
    await using team = await createTeam('api')
    await using issuer = await createIssuer(SCOPES)
    await using site = await createTeamSite(team, { issuer })
    await team.admin('member', 'add', 'ann', '--organisation', 'default', '--role', 'owner')
    const sign = (claims: object = {}) =>
      issuer.sign({
        ...issuer.goodClaims(),
        sub: 'ann',
        aud: ORIGIN,
        scope: SCOPES.join(' '),
        ...claims,
      })
    const put = async (token: string, path: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'PUT', headers, body: JSON.stringify(body) }
      return (await site.ask(`/projects/api/team/${path}`, init, token)).status
    }
    const { token } = await team.token('boss', '--role', 'owner')
    for (const [given, expected] of [
      [token, 403],
      [await sign({ project_id: 'api' }), 403],
      [await sign(), 200],
    ] as const) {
      expect(await put(given, 'organisation/bo', { role: 'agent' })).toBe(expected)
      expect(await put(given, 'quotas/entities', { amount: 9 })).toBe(expected)
      expect(await put(given, 'members/bo', { role: 'agent' })).toBe(200)
    }
    // A lower role in the project takes nothing from the one in the organisation.
    await team.admin('member', 'add', 'ann', '--project', 'api', '--role', 'reader')
    expect(await put(await sign(), 'organisation/cy', { role: 'agent' })).toBe(200)
    expect(await put(await sign(), 'members/cy', { role: 'agent' })).toBe(403)
  })

  it('ends when it is revoked or expires, on every replica [team-token-ends]', async () => {
    await using team = await createTeam('api')
    await using first = await createTeamSite(team)
    await using second = await createTeamSite(team)
    const [kept, revoked, expired] = [
      await team.token('kept', '--days', '1'),
      await team.token('revoked'),
      await team.token('expired', '--days', '1'),
    ]
    for (const { token } of [kept, revoked, expired])
      expect((await first.call('/api/task.list', {}, token)).status).toBe(200)
    await team.admin('token', 'revoke', revoked.id, '--project', 'api')
    await team.query('UPDATE waymark_team.token SET expires_at = 1 WHERE id = $1', [expired.id])
    for (const site of [first, second]) {
      expect((await site.call('/api/task.list', {}, kept.token)).status).toBe(200)
      for (const { token } of [revoked, expired]) {
        const { status, body } = await site.call('/api/task.list', {}, token)
        expect([status, body]).toMatchObject([401, { error: { code: 'unauthenticated' } }])
      }
    }
    await expect(team.admin('token', 'revoke', revoked.id, '--project', 'api')).rejects.toThrow()
  })

  it('is stored as a hash, listed with its last use and shown once [team-token-hashed]', async () => {
    await using team = await createTeam('api')
    await using site = await createTeamSite(team)
    const { token, id } = await team.token('ci')
    expect(token).toMatch(/^wmt_[\w-]{43}$/)
    await site.call('/api/task.list', {}, token)
    const listed = await team.admin<Listed>('token', 'list', '--project', 'api')
    expect(listed.tokens).toMatchObject([{ id, name: 'ci', used_at: expect.any(Number) }])
    const rows = await team.query<{ row: string }>(
      'SELECT t::text AS row FROM waymark_team.token AS t UNION ALL SELECT a::text FROM waymark_team.audit AS a',
    )
    for (const { row } of rows) expect(row).not.toContain(token.slice(4))
    expect(JSON.stringify(listed)).not.toContain(token.slice(4))
  })

  it('of the same name is the same agent, so a new token continues [team-token-rotation]', async () => {
    await using team = await createTeam('api')
    await using site = await createTeamSite(team)
    const before = await team.token('ci')
    const { body } = await site.call<{ task: { id: string } }>('/api/task.create', { title: 'x' })
    const { id } = body.task
    expect((await site.call('/api/task.claim', { id }, before.token)).status).toBe(200)
    const [after, other] = [await team.token('ci'), await team.token('other')]
    expect((await site.call('/api/task.complete', { id }, other.token)).status).toBe(409)
    expect((await site.call('/api/task.complete', { id }, after.token)).status).toBe(200)
  })
})

it('an invitation is good for one token, and for nothing else [team-invitation]', async () => {
  await using team = await createTeam('api')
  await using site = await createTeamSite(team)
  const { token: invitation } = await team.token('ann', '--role', 'maintainer', '--invitation')
  expect((await site.call('/api/task.list', {}, invitation)).status).toBe(403)
  expect((await site.ask('/team/me', {}, invitation)).status).toBe(403)
  const redeem = () => site.call<Created & { role: string }>('/team/redeem', {}, invitation)
  const answers = await Promise.all([redeem(), redeem(), redeem()])
  const [won, ...more] = answers.filter(({ status }) => status === 200)
  expect(more).toEqual([])
  expect(won?.body).toMatchObject({ name: 'ann', role: 'maintainer', project: 'api' })
  expect((await redeem()).status).toBe(401)
  const me = await site.ask('/team/me', {}, won?.body.token)
  expect(await me.json()).toMatchObject({ name: 'ann', role: 'maintainer', project: 'api' })
})

it('an invitation that is limited to scopes gives a token with these and no others [team-invited-scopes]', async () => {
  await using team = await createTeam('api')
  await using site = await createTeamSite(team)
  const invited = await team.token('ann', '--invitation', '--scope', 'tasks:write')
  const { body } = await site.call<Created>('/team/redeem', {}, invited.token)
  expect((await site.call('/api/task.create', { title: 'x' }, body.token)).status).toBe(200)
  expect((await site.call('/api/entity.list', {}, body.token)).status).toBe(403)
})

it('members and roles come from the database, else from a claim [team-oauth-roles]', async () => {
  await using team = await createTeam('api', 'web')
  await using issuer = await createIssuer(SCOPES)
  await using site = await createTeamSite(team, { issuer })
  const sign = (sub: string, claims: object = {}) =>
    issuer.sign({ ...issuer.goodClaims(), sub, aud: ORIGIN, scope: SCOPES.join(' '), ...claims })
  const ann = await sign('ann')
  const status = async (token: string, path: string, input: object = {}) =>
    (await site.call(path, input, token)).status
  expect(await status(ann, '/projects/api/api/task.list')).toBe(404)
  await team.admin('member', 'add', 'ann', '--project', 'api', '--role', 'reader')
  expect(await status(ann, '/projects/api/api/task.list')).toBe(200)
  expect(await status(ann, '/projects/api/api/task.create', { title: 'x' })).toBe(403)
  expect(await status(ann, '/projects/web/api/task.list')).toBe(404)
  // The only project of a caller need not be named.
  expect(await status(ann, '/api/task.list')).toBe(200)
  await team.admin('member', 'add', 'ann', '--project', 'api', '--role', 'agent')
  expect(await status(ann, '/projects/api/api/task.create', { title: 'x' })).toBe(200)
  await team.admin('member', 'remove', 'ann', '--project', 'api')
  expect(await status(ann, '/projects/api/api/task.list')).toBe(404)
  for (const claim of [{ web: 'agent', '*': 'reader' }, ['web:agent', '*:reader']]) {
    const bo = await sign('bo', { waymark_roles: claim })
    expect(await status(bo, '/projects/web/api/task.create', { title: 'x' })).toBe(200)
    expect(await status(bo, '/projects/api/api/task.create', { title: 'x' })).toBe(403)
    expect(await status(bo, '/projects/api/api/task.list')).toBe(200)
  }
  for (const claim of [{ api: 'root' }, 'api:owner', 7, ['api'], { __proto__: 'owner' }]) {
    const eve = await sign('eve', { waymark_roles: claim })
    expect(await status(eve, '/projects/api/api/task.list'), JSON.stringify(claim)).toBe(404)
  }
  // The scopes of a token limit its role, and the secret is the operator's.
  const narrow = await sign('bo', { waymark_roles: ['*:owner'], scope: 'tasks:read' })
  expect(await status(narrow, '/projects/api/api/task.create', { title: 'x' })).toBe(403)
  expect(await status(SECRET, '/projects/web/api/task.list')).toBe(200)
  expect((await site.ask('/metrics')).status).toBe(200)
  expect((await site.ask('/metrics', {}, ann)).status).toBe(403)
})

it('the audit log has every change of access and cannot be edited [team-audit]', async () => {
  await using team = await createTeam('api', 'web')
  await using site = await createTeamSite(team)
  const { token } = await team.token('boss', '--role', 'owner')
  const send = (method: string, path: string, body: object = {}) =>
    site.ask(
      path,
      { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
      token,
    )
  await send('PUT', '/team/members/ann%40example.com', { role: 'agent' })
  const created = (await (await send('POST', '/team/tokens', { name: 'ci' })).json()) as Created
  await send('DELETE', `/team/tokens/${created.id}`)
  await send('DELETE', '/team/members/ann%40example.com')
  const { entries } = await audit(team.database)
  expect(entries.map(({ action, actor, subject }) => [action, actor, subject])).toEqual([
    ['member.removed', 'boss', 'ann@example.com'],
    ['token.revoked', 'boss', 'ci'],
    ['token.created', 'boss', 'ci'],
    ['member.set', 'boss', 'ann@example.com'],
    ['token.created', 'operator', 'boss'],
  ])
  for (const sql of [
    "UPDATE waymark_team.audit SET actor = 'eve'",
    'DELETE FROM waymark_team.audit',
    'TRUNCATE waymark_team.audit',
  ])
    await expect(team.query(sql)).rejects.toThrow('append-only')
  // No member passes for the operator in it.
  const named = await team.token('operator', '--role', 'owner')
  const init = { method: 'PUT', body: '{"role":"agent"}' }
  const headers = { 'content-type': 'application/json' }
  expect((await site.ask('/team/members/bo', { ...init, headers }, named.token)).status).toBe(200)
  expect((await audit(team.database)).entries[0]).toMatchObject({
    action: 'member.set',
    actor: 'member operator',
  })
  const web = await team.admin('audit', '--project', 'web')
  expect(web).toEqual({ entries: [] })
})
