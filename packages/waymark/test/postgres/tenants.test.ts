import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createIssuer } from '../../../baton/test/auth/issuer.ts'
import { SCOPES } from '../../src/core/scopes.ts'
import { allOperations } from '../../src/registry.ts'
import { createDatabase, createTeamSite, ORIGIN, type TeamSite } from './team-site.ts'

const CANARY = 'canary-of-the-other-project'

interface Status {
  readonly projects: readonly { readonly name: string; readonly id: string }[]
}

/** One of everything that has an id, in the project of others. */
async function fill(site: TeamSite, token: string) {
  const call = async <T>(operation: string, input: object) =>
    (await site.call<T>(`/projects/web/api/${operation}`, input, token)).body
  const note = await call<{ id: string }>('entity.create', { type: 'note', title: CANARY })
  const { task } = await call<{ task: { id: string } }>('task.create', { title: CANARY })
  const { hash } = await call<{ hash: string }>('artifact.add', { text: CANARY, name: CANARY })
  const { agent } = await call<{ agent: { id: string } }>('agent.join', { name: 'rival' })
  const sent = await call<{ message: { id: number } }>('message.send', { body: CANARY })
  return { note: note.id, task: task.id, hash, agent: agent.id, message: sent.message.id }
}

/** Operations on one thing, which must not be found. */
const OF_ONE: Readonly<Record<string, (ids: Awaited<ReturnType<typeof fill>>) => object>> = {
  'entity.get': ({ note }) => ({ id: note }),
  'entity.update': ({ note }) => ({ id: note, title: 'x' }),
  'entity.delete': ({ note }) => ({ id: note }),
  'entity.purge': ({ note }) => ({ id: note, confirm: true }),
  'entity.history': ({ note }) => ({ id: note }),
  'task.get': ({ task }) => ({ id: task }),
  'task.claim': ({ task }) => ({ id: task }),
  'task.complete': ({ task }) => ({ id: task }),
  'task.cancel': ({ task }) => ({ id: task }),
  'task.release': ({ task }) => ({ id: task }),
  'task.context': ({ task }) => ({ id: task }),
  'task.explain': ({ task }) => ({ id: task }),
  'graph.around': ({ note }) => ({ id: note }),
  'graph.impact': ({ note }) => ({ id: note }),
  'relation.create': ({ note, task }) => ({ source: task, target: note, type: 'references' }),
  'relation.list': ({ note }) => ({ id: note }),
  'artifact.show': ({ hash }) => ({ id: hash }),
  'artifact.read': ({ hash }) => ({ id: hash }),
  'artifact.remove': ({ hash }) => ({ id: hash }),
  'message.get': ({ message }) => ({ id: message }),
}

it('more than 200 probes of another tenant find nothing, or are forbidden [team-tenants]', async () => {
  await using database = await createDatabase()
  const { projects } = await database.admin<Status>('init', 'api', 'web')
  const webId = projects.find(({ name }) => name === 'web')?.id ?? ''
  const create = (project: string, ...words: readonly string[]) =>
    database.admin<{ id: string; token: string }>('token', 'create', ...words, '--project', project)
  const artifacts = mkdtempSync(join(tmpdir(), 'waymark-test-'))
  await using issuer = await createIssuer(SCOPES)
  await using site = await createTeamSite(database, { artifacts, issuer })
  const theirs = await create('web', 'web-owner', '--role', 'owner')
  const ids = await fill(site, theirs.token)
  await database.admin('member', 'add', 'ann', '--project', 'api', '--role', 'owner')
  const claims = { ...issuer.goodClaims(), sub: 'ann', aud: ORIGIN, scope: SCOPES.join(' ') }
  // The most powerful callers of the other project.
  const callers = [
    (await create('api', 'api-owner', '--role', 'owner')).token,
    await issuer.sign(claims),
  ]
  let probes = 0
  const probe = async (path: string, init: RequestInit, token: string) => {
    const response = await site.ask(path, init, token)
    const text = await response.text()
    expect([403, 404], `${init.method ?? 'GET'} ${path}: ${text}`).toContain(response.status)
    expect(text, path).not.toContain(CANARY)
    probes += 1
  }
  const post = (input: object, headers: object = {}): RequestInit => ({
    method: 'POST',
    body: JSON.stringify(input),
    headers: { 'content-type': 'application/json', ...headers },
  })
  const session = await openSession(site, '/projects/web/mcp', theirs.token)
  for (const token of callers) {
    for (const { name } of await allOperations())
      for (const project of ['web', webId])
        await probe(`/projects/${project}/api/${name}`, post({}), token)
    for (const [name, toInput] of Object.entries(OF_ONE))
      await probe(`/projects/api/api/${name}`, post(toInput(ids)), token)
    for (const project of ['web', webId, 'none']) {
      const at = `/projects/${project}`
      await probe(`${at}/api/event.stream?since=0`, {}, token)
      await probe(`${at}/cas/${ids.hash}`, {}, token)
      await probe(`${at}/cas/${ids.hash}?link=true`, {}, token)
      await probe(`${at}/cas?sent=${ids.hash}`, post({}), token)
      await probe(`${at}/cas/uploads`, post({ sha256: ids.hash }), token)
      await probe(`${at}/mcp`, post({}, { 'mcp-session-id': session }), token)
      await probe(`${at}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': session } }, token)
      for (const path of ['members', 'tokens', 'audit', 'me', 'organisation', 'quotas'])
        await probe(`${at}/team/${path}`, {}, token)
      await probe(`${at}/team/members/ann`, { ...post({ role: 'owner' }), method: 'PUT' }, token)
      const put = (input: object): RequestInit => ({ ...post(input), method: 'PUT' })
      await probe(`${at}/team/organisation/ann`, put({ role: 'owner' }), token)
      await probe(`${at}/team/organisation/web-owner`, { method: 'DELETE' }, token)
      await probe(`${at}/team/quotas/entities`, put({ amount: 1 }), token)
      await probe(`${at}/team/quotas/requests_per_minute`, put({ amount: 1, member: '*' }), token)
      await probe(`${at}/team/tokens/${theirs.id}`, { method: 'DELETE' }, token)
      await probe(`${at}/team/redeem`, post({}), token)
    }
    await probe(`/projects/api/cas/${ids.hash}`, {}, token)
    await probe(`/projects/api/team/tokens/${theirs.id}`, { method: 'DELETE' }, token)
    await probe('/projects/api/team/members/web-owner', { method: 'DELETE' }, token)
    // An owner of a project is none of its organisation, which has other projects too.
    const grab = { ...post({ role: 'owner' }), method: 'PUT' }
    await probe('/projects/api/team/organisation/ann', grab, token)
    await probe('/projects/api/team/organisation/theirs', { method: 'DELETE' }, token)
    const raise = { ...post({ amount: 1_000_000 }), method: 'PUT' }
    await probe('/projects/api/team/quotas/entities', raise, token)
    await probe(
      '/projects/api/mcp',
      { method: 'DELETE', headers: { 'mcp-session-id': session } },
      token,
    )
    await probe('/metrics', {}, token)
  }
  expect(probes).toBeGreaterThan(200)

  // What is answered is about the own project alone: lists, searches, cursors, keys, events.
  const [own = ''] = callers
  for (const { name, input, effect } of await allOperations()) {
    if (effect !== 'read' || name === 'event.wait') continue
    const needed = Object.entries(input.shape)
      .filter(([, schema]) => !schema.safeParse(undefined).success)
      .map(([field]) => [field, CANARY.slice(0, 6)])
    const response = await site.ask(
      `/projects/api/api/${name}`,
      post(Object.fromEntries(needed)),
      own,
    )
    expect(await response.text(), name).not.toContain(`${CANARY}`)
  }
  const key = { 'idempotency-key': 'shared-key' }
  await site.ask('/projects/web/api/task.create', post({ title: CANARY }, key), theirs.token)
  const repeated = await site.ask(
    '/projects/api/api/task.create',
    post({ title: 'Ours' }, key),
    own,
  )
  expect(await repeated.text()).not.toContain(CANARY)
  const intact = await site.call('/projects/web/api/entity.get', { id: ids.note }, theirs.token)
  expect(intact.body).toMatchObject({ title: CANARY })
  rmSync(artifacts, { recursive: true })
})

/** A session of the protocol that has some. */
async function openSession(site: TeamSite, path: string, token: string): Promise<string> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'probe', version: '1' },
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const response = await site.ask(path, { method: 'POST', body, headers }, token)
  const session = response.headers.get('mcp-session-id')
  await response.text()
  expect(session).not.toBeNull()
  return session ?? ''
}
