import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createIssuer, type Issuer } from '../../../baton/test/auth/issuer.ts'
import { SCOPES } from '../../src/core/scopes.ts'
import { createProject } from '../setup.ts'
import { connectLegacy, type HttpServer, post, startHttp } from './http-server.ts'

/** What tokens are meant for, as the specification's own example has it. */
const AUDIENCE = 'https://localhost:9000/mcp'
const SECRET = 'a-secret-that-is-long-enough-to-be-one'
const EVERYTHING = 'tasks:read tasks:write projects:read'

function start(directory: string, issuer: Issuer, args: readonly string[] = []) {
  return startHttp(directory, ['--http', '--dialect', 'tasky', ...args], {
    TASKY_MCP_PORT: '0',
    OAUTH_ISSUER_URL: issuer.url,
    OAUTH_CLIENT_ID: 'agent',
    OAUTH_AUDIENCE: AUDIENCE,
  })
}

function fetchToken(issuer: Issuer, scope = EVERYTHING): Promise<string> {
  return issuer.fetchToken({ resource: AUDIENCE, scope })
}

/** A call as it goes over the wire: the status, and what the answer says about tokens. */
async function call(
  { origin }: HttpServer,
  token: string | undefined,
  tool: string,
  { args = {}, path = '/mcp' }: { readonly args?: object; readonly path?: string } = {},
) {
  const response = await fetch(
    `${origin}${path}`,
    post(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } },
      {
        accept: 'application/json, text/event-stream',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    ),
  )
  return { status: response.status, challenge: response.headers.get('www-authenticate') ?? '' }
}

describe('Requirement: Authentication & Authorization', () => {
  it('Scenario: Server implements OAuth 2.1 compliance [tasky-http-scenario-server]', async () => {
    await using repository = await createProject()
    await using issuer = await createIssuer(SCOPES)
    await using server = await start(repository.directory, issuer, [
      '--host',
      '0.0.0.0',
      '--plain-http',
    ])
    const stranger = await call(server, undefined, 'project_info')
    expect(stranger).toMatchObject({
      status: 401,
      challenge: expect.stringMatching(/^Bearer .*resource_metadata="/),
    })
    await using client = await connectLegacy(`${server.origin}/mcp`, {
      token: await fetchToken(issuer),
    })
    expect((await client.tools()).toSorted()).toEqual([
      'create_tasks',
      'edit_tasks',
      'get_tasks',
      'project_info',
      'search_tasks',
    ])
    const { structuredContent } = await client.call('project_info')
    expect(structuredContent).toMatchObject({ task_counts: { pending: 0 } })
  })

  it('Scenario: Resource Indicators (RFC 8707) bind tokens to server URI [tasky-http-scenario-resource]', async () => {
    await using repository = await createProject()
    await using issuer = await createIssuer(SCOPES)
    await using server = await start(repository.directory, issuer)
    await using client = await connectLegacy(`${server.origin}/mcp`, {
      token: await fetchToken(issuer),
    })
    expect((await client.call('search_tasks')).isError).not.toBe(true)
    const elsewhere = await issuer.fetchToken({
      resource: 'https://localhost:9001/mcp',
      scope: EVERYTHING,
    })
    expect((await call(server, elsewhere, 'search_tasks')).status).toBe(401)
    const claims = { ...issuer.goodClaims(), aud: AUDIENCE, scope: EVERYTHING }
    const bound = await issuer.sign({ ...claims, resource_aud: 'https://localhost:9001/mcp' })
    expect((await call(server, bound, 'search_tasks')).status).toBe(401)
  })

  it('Scenario: Client authentication validation [tasky-http-scenario-client]', async () => {
    await using repository = await createProject()
    await using issuer = await createIssuer(SCOPES)
    await using stranger = await createIssuer(SCOPES)
    await using server = await start(repository.directory, issuer)
    const statusOf = async (changes: object, signer = issuer) => {
      const claims = { ...issuer.goodClaims(), aud: AUDIENCE, scope: EVERYTHING, ...changes }
      return (await call(server, await signer.sign(claims), 'search_tasks')).status
    }
    // Whoever is let in is then asked to open a session first, as the protocol has it.
    expect(await statusOf({})).not.toBe(401)
    expect(await statusOf({ exp: Math.floor(Date.now() / 1000) - 600 })).toBe(401)
    expect(await statusOf({ aud: 'https://localhost:9001/mcp' })).toBe(401)
    expect(await statusOf({ client_id: 'somebody else' })).toBe(401)
    expect(await statusOf({ sub: undefined })).toBe(401)
    expect(await statusOf({}, stranger)).toBe(401)
    expect((await call(server, 'not.a.token', 'search_tasks')).status).toBe(401)
  })

  it('Scenario: Token scope enforcement [tasky-http-scenario-token]', async () => {
    await using repository = await createProject()
    await using issuer = await createIssuer(SCOPES)
    await using server = await start(repository.directory, issuer)
    const needs = {
      project_info: 'projects:read',
      search_tasks: 'tasks:read',
      get_tasks: 'tasks:read',
      create_tasks: 'tasks:write',
      edit_tasks: 'tasks:write',
    }
    const narrow = {
      'tasks:read': await fetchToken(issuer, 'tasks:read'),
      'projects:read': await fetchToken(issuer, 'projects:read'),
    }
    for (const [tool, scope] of Object.entries(needs)) {
      for (const [granted, token] of Object.entries(narrow)) {
        const { status, challenge } = await call(server, token, tool)
        if (granted === scope) expect(status, tool).not.toBe(403)
        else {
          expect(status, `${tool} with ${granted}`).toBe(403)
          expect(challenge).toMatch(new RegExp(`error="insufficient_scope".*scope="[^"]*${scope}`))
        }
      }
    }
    await using client = await connectLegacy(`${server.origin}/mcp`, {
      token: await fetchToken(issuer),
    })
    const { structuredContent } = await client.call('create_tasks', { tasks: [{ name: 'A' }] })
    const [task] = structuredContent['created'] as { task_id: string }[]
    const operations = [{ task_id: task?.task_id, action: 'complete' }]
    expect((await client.call('edit_tasks', { operations })).structuredContent).toMatchObject({
      edited: [{ status: 'completed' }],
    })
  })

  it('Scenario: Access control per project/task (future authorization model) [tasky-http-scenario-access]', async () => {
    await using one = await createProject()
    await using two = await createProject()
    await using issuer = await createIssuer(SCOPES)
    const args = ['--project', one.directory, '--project', two.directory]
    await using server = await start(one.directory, issuer, args)
    const pathOf = (directory: string) => `/projects/${basename(directory)}/mcp`
    const claims = { aud: AUDIENCE, scope: 'tasks:read', project_id: basename(two.directory) }
    const token = await issuer.sign({ ...issuer.goodClaims(), ...claims })
    const refused = await call(server, token, 'search_tasks', { path: pathOf(one.directory) })
    expect(refused.status).toBe(403)
    await using client = await connectLegacy(`${server.origin}${pathOf(two.directory)}`, { token })
    expect((await client.call('search_tasks')).structuredContent).toMatchObject({ total_count: 0 })
    const created = { args: { tasks: [{ name: 'x' }] }, path: pathOf(two.directory) }
    expect((await call(server, token, 'create_tasks', created)).status).toBe(403)
  })

  it('Scenario: Configuration for OAuth provider [tasky-http-scenario-configuration]', async () => {
    await using repository = await createProject()
    await using issuer = await createIssuer(SCOPES)
    await using server = await start(repository.directory, issuer)
    await using client = await connectLegacy(`${server.origin}/mcp`, {
      token: await fetchToken(issuer),
    })
    for (let times = 0; times < 3; times += 1) await client.call('search_tasks')
    await using another = await connectLegacy(`${server.origin}/mcp`, {
      token: await fetchToken(issuer),
    })
    await another.call('search_tasks')
    expect(issuer.requests.filter((path) => path.includes('jwks'))).toHaveLength(1)
  })
})

describe('Requirement: MCP Server Configuration', () => {
  it('Scenario: Server can be customized: host and port [tasky-http-scenario-server-customized]', async () => {
    await using repository = await createProject()
    const startAt = (port: number, plain = '1') =>
      startHttp(repository.directory, ['--http', '--dialect', 'tasky'], {
        TASKY_MCP_HOST: '0.0.0.0',
        TASKY_MCP_PORT: String(port),
        WAYMARK_HTTP_SECRET: SECRET,
        WAYMARK_PLAIN_HTTP: plain,
      })
    // Only an address beyond this machine needs that setting.
    await expect(startAt(0, '0')).rejects.toThrow('0.0.0.0')
    await using server = await startAt(0)
    const { port } = server.ready
    // Nobody else can have it now: that it is refused shows that it was asked for.
    await expect(startAt(port)).rejects.toThrow(String(port))
    await using client = await connectLegacy(`${server.origin}/mcp`, {
      token: SECRET,
    })
    expect(await client.tools()).toHaveLength(5)
  })
})
