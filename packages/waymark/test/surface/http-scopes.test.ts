import { describe, expect, it } from 'vitest'
import { parseChallenge } from '../../../baton/test/auth/auth-header.ts'
import { createIssuer } from '../../../baton/test/auth/issuer.ts'
import { LegacyClient } from '../../../baton/test/http/http-client.ts'
import { DIALECT_NAMES, loadDialects } from '../../src/dialects/load-dialects.ts'
import { requiredScopes, SCOPES } from '../../src/core/scopes.ts'
import { setup } from '../setup.ts'
import { createTestSite, type McpRequest, type TestSite } from './test-site.ts'

const tokens = new WeakMap<TestSite, Map<string, Promise<string>>>()

/** Signed once: that takes longer than most of what is tried here. */
function tokenWith(site: TestSite, scopes: readonly string[]): Promise<string> {
  const known = tokens.get(site) ?? new Map<string, Promise<string>>()
  tokens.set(site, known)
  const key = scopes.join(' ')
  const token = known.get(key) ?? site.tokenFor(scopes)
  known.set(key, token)
  return token
}

/** What a request is told with these scopes: its status, and the scopes that the answer asks for. */
async function askWith(
  site: TestSite,
  { path, scopes, ...request }: McpRequest & { path: string; scopes: readonly string[] },
) {
  const token = await tokenWith(site, scopes)
  const response = await site.askMcp(path, { ...request, token })
  const header = response.headers.get('www-authenticate')
  const asked = header === null ? undefined : parseChallenge(header).parameters.get('scope')
  await response.body?.cancel()
  return { status: response.status, asked: asked?.split(' ') }
}

/** One call of each kind of tool that does different things by its arguments. */
const ARGUMENTS: Readonly<Record<string, readonly object[]>> = {
  'waymark recall': [{ query: 'x' }, { id: '1' }, { id: 'message 1' }],
  'waymark remember': [{ title: 'x' }, { id: '1', title: 'x' }],
  'waymark task_next': [{}, { claim: true }, { id: '1' }],
  'waymark task_get': [{}, { ids: ['1'] }, { blocked: true }],
  'waymark task_update': [
    { ids: ['1'], title: 'x' },
    { ids: ['1'], action: 'complete' },
  ],
  'waymark inbox': [{}, { ack: [1] }, { task: '1' }],
  'waymark events': [{}, { wait_seconds: 0 }],
}

/** Everything that can be called, and what it is declared to need. */
async function declaredNeeds() {
  const needs: { dialect: string; tool: string; args: object; scopes: readonly string[] }[] = []
  for (const dialect of DIALECT_NAMES) {
    const [loaded] = await loadDialects(dialect)
    for (const tool of await loaded.loadTools()) {
      const { listed } = tool
      for (const args of ARGUMENTS[`${dialect} ${listed.name}`] ?? [{}]) {
        const wanted = tool.toOperation(args as never)
        needs.push({ dialect, tool: listed.name, args, scopes: requiredScopes(wanted) })
      }
    }
  }
  return needs
}

/** A scope that is needed, or the broader one that includes it. */
function broader(scope: string): string {
  const write = scope.replace(':read', ':write')
  return SCOPES.some((one) => one === write) ? write : scope
}

/** Whether both are about the same area. */
function isOf(one: string, other: string): boolean {
  return one.split(':')[0] === other.split(':')[0]
}

describe('over OAuth', () => {
  it('every tool of every dialect asks for exactly what is declared, whatever else was granted [http-scopes-every-tool]', async () => {
    await using project = await setup()
    await using issuer = await createIssuer(SCOPES)
    await using site = createTestSite(project.directory, { issuer })
    const needs = await declaredNeeds()
    const table = needs.map(
      ({ dialect, tool, args, scopes }) =>
        `${dialect} ${tool} ${JSON.stringify(args)}: ${scopes.join(' ')}`,
    )
    await expect(`${table.join('\n')}\n`).toMatchFileSnapshot('tool-scopes.txt')
    for (const { dialect, tool, args, scopes } of needs) {
      const call = { path: `/mcp/${dialect}`, method: 'tools/call' }
      const ask = (granted: readonly string[]) =>
        askWith(site, { ...call, params: { name: tool, arguments: args }, scopes: granted })
      const unrelated = SCOPES.filter((one) => !scopes.some((each) => isOf(each, one)))
      for (const missing of scopes) {
        const rest = scopes.filter((one) => one !== missing)
        const refused = { status: 403, asked: scopes }
        expect(await ask([...rest, ...unrelated]), `${tool} without ${missing}`).toEqual(refused)
      }
      expect((await ask(scopes)).status, `${tool} with what it needs`).toBe(200)
      const more = scopes.map(broader)
      if (more.join() !== scopes.join())
        expect((await ask(more)).status, `${tool} with more`).toBe(200)
    }
  })

  it('what is read, watched and prompted by address or name asks before it begins, once [http-scopes-read-watched]', async () => {
    await using project = await setup()
    await using issuer = await createIssuer(SCOPES)
    await using site = createTestSite(project.directory, { issuer })
    const watch = { notifications: { resourceSubscriptions: ['artifacts://recent'] } }
    for (const [dialect, method, params, scopes] of [
      ['lodestar', 'resources/read', { uri: 'lodestar://status' }, ['projects:read']],
      ['lodestar', 'resources/read', { uri: 'lodestar://task/1' }, ['tasks:read']],
      ['medulla', 'resources/read', { uri: 'medulla://stats' }, ['projects:read']],
      ['waymark', 'resources/read', { uri: 'artifacts://recent' }, ['artifacts:read']],
      ['waymark', 'resources/read', { uri: `cas://${'0'.repeat(64)}` }, ['artifacts:read']],
      ['waymark', 'subscriptions/listen', watch, ['artifacts:read']],
      ['medulla', 'prompts/get', { name: 'none' }, ['entities:read']],
      ['medulla', 'prompts/list', {}, ['entities:read']],
    ] as const) {
      const request = { path: `/mcp/${dialect}`, method, params }
      const unrelated = SCOPES.filter((one) => !scopes.some((each) => isOf(each, one)))
      const refused = await askWith(site, { ...request, scopes: unrelated })
      expect(refused, `${method} ${JSON.stringify(params)}`).toEqual({ status: 403, asked: scopes })
      // What is asked for is all that is missing.
      expect((await askWith(site, { ...request, scopes: refused.asked ?? [] })).status).toBe(200)
    }
  })

  it('what is not there, or brought along by the dialect, needs nothing', async () => {
    await using project = await setup()
    await using issuer = await createIssuer(SCOPES)
    await using site = createTestSite(project.directory, { issuer })
    for (const [dialect, method, params] of [
      ['waymark', 'tools/list', {}],
      ['waymark', 'tools/call', { name: 'none', arguments: {} }],
      ['waymark', 'tools/call', { name: '__proto__', arguments: {} }],
      ['waymark', 'resources/read', { uri: 'artifacts://none' }],
      ['waymark', 'resources/read', { uri: 'file:///etc/passwd' }],
      ['waymark', 'subscriptions/listen', { notifications: { resourceSubscriptions: ['x'] } }],
      ['lodestar', 'prompts/list', {}],
      ['lodestar', 'resources/list', {}],
    ] as const) {
      const answer = await askWith(site, { path: `/mcp/${dialect}`, method, params, scopes: [] })
      expect(answer.asked, `${method} ${JSON.stringify(params)}`).toBeUndefined()
      expect(answer.status).not.toBe(403)
    }
  })

  it('hooks need the scope of what their kind does, as its own operations do', async () => {
    await using project = await setup()
    await using issuer = await createIssuer(SCOPES)
    await using site = createTestSite(project.directory, { issuer })
    const call = async (operation: string, kind: unknown, scopes: readonly string[]) => {
      const response = await site.ask(`/api/${operation}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await tokenWith(site, scopes)}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ kind }),
      })
      const header = response.headers.get('www-authenticate')
      const asked = header === null ? undefined : parseChallenge(header).parameters.get('scope')
      return { status: response.status, asked, text: await response.text() }
    }
    for (const operation of ['hook.install', 'hook.status', 'hook.uninstall']) {
      const right = operation === 'hook.status' ? 'read' : 'write'
      for (const [kind, area] of [
        ['snapshot', 'projects'],
        ['sync', 'projects'],
        ['code', 'code'],
      ] as const) {
        const scope = `${area}:${right}`
        const unrelated = SCOPES.filter((one) => !isOf(one, scope))
        const refused = await call(operation, kind, unrelated)
        expect(refused, `${operation} ${kind}`).toMatchObject({ status: 403, asked: scope })
        expect(JSON.parse(refused.text)).toMatchObject({
          error: { code: 'forbidden', details: { scopes: [scope] } },
        })
        expect(await call(operation, kind, [scope]), kind).toMatchObject({ status: 200 })
      }
    }
    for (const kind of ['Code', 'constructor', ['code'], { toString: 1 }, null])
      expect(await call('hook.install', kind, ['projects:write'])).toMatchObject({ status: 400 })
  })

  it('a session that is told of everything that happens needs the scope for it', async () => {
    await using project = await setup()
    await using issuer = await createIssuer(SCOPES)
    await using site = createTestSite(project.directory, { issuer })
    const initialize = async (dialect: string, scopes: readonly string[]) => {
      const authorization = `Bearer ${await site.tokenFor(scopes)}`
      const client = new LegacyClient({
        url: `http://localhost/mcp/${dialect}`,
        send: site.site.fetch,
        headers: { authorization },
      })
      return (await client.initialize()).status
    }
    expect(await initialize('lodestar', ['tasks:write'])).toBe(403)
    expect(await initialize('lodestar', ['events:read'])).toBe(200)
    expect(await initialize('tasky', ['tasks:write'])).toBe(200)
  })
})
