import { basename } from 'node:path'
import { ClientCredentialsProvider } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { createIssuer, HEADER_CLIENT, type Issuer } from '../../../baton/test/auth/issuer.ts'
import { SCOPES } from '../../src/core/scopes.ts'
import { createProject } from '../setup.ts'
import { waymark } from './binary.ts'
import { connectLegacy, connectModern, type HttpServer, post, startHttp } from './http-server.ts'

function start(
  directory: string,
  issuer: Issuer,
  env: NodeJS.ProcessEnv = {},
  args: string[] = [],
) {
  return startHttp(directory, ['--http', '0', ...args], { OAUTH_ISSUER_URL: issuer.url, ...env })
}

/** A token as the issuer would sign it for somebody with these scopes, and what else is claimed. */
function tokenFor({ ready }: HttpServer, issuer: Issuer, scope: string, claims: object = {}) {
  return issuer.sign({ ...issuer.goodClaims(), aud: ready.url, scope, ...claims })
}

async function ask(server: HttpServer, token: string | undefined, path: string, body?: unknown) {
  const headers: Record<string, string> =
    token === undefined ? {} : { authorization: `Bearer ${token}` }
  const init = body === undefined ? { headers } : post(body, headers)
  const response = await fetch(`${server.origin}${path}`, init)
  const { status } = response
  const challenge = response.headers.get('www-authenticate') ?? ''
  return { status, challenge, body: (await response.json()) as Record<string, unknown> }
}

const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'create_tasks', arguments: { tasks: [{ name: 'x' }] } },
}

async function callTool(server: HttpServer, token: string): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
  }
  return fetch(`${server.origin}/mcp/tasky`, post(CALL, headers))
}

describe('OAuth', () => {
  it('the official client finds the issuer and gets one token, with which it reads and writes', async () => {
    await using repository = await createProject()
    await using issuer = await createIssuer(SCOPES)
    await using server = await start(repository.directory, issuer, { OAUTH_CLIENT_ID: 'official' })
    const authProvider = new ClientCredentialsProvider({
      clientId: HEADER_CLIENT.client_id,
      clientSecret: HEADER_CLIENT.client_secret,
      expectedIssuer: issuer.url,
    })
    await using client = await connectModern(server.ready.url, { authProvider })
    const tokensAsked = () => issuer.requests.filter((path) => path === '/token').length
    await client.call('brief')
    expect(tokensAsked()).toBe(1)
    await client.call('task_create', { tasks: [{ title: 'made with the first token' }] })
    expect(tokensAsked()).toBe(1)
    const { out } = await waymark(repository.directory, ['list', 'task', '--json'])
    expect(JSON.parse(out)).toMatchObject({ entities: [{ title: 'made with the first token' }] })
    expect(issuer.requests.filter((path) => path.includes('jwks'))).toHaveLength(1)
  })

  it('strangers are told where to get a token, and the document says for what', async () => {
    await using repository = await createProject()
    await using issuer = await createIssuer(SCOPES)
    await using server = await start(repository.directory, issuer)
    const { status, challenge } = await ask(server, undefined, '/mcp')
    expect(status).toBe(401)
    const document = `${server.origin}/.well-known/oauth-protected-resource/mcp`
    expect(challenge).toContain(`resource_metadata="${document}"`)
    expect(challenge).toContain('tasks:read')
    expect(challenge).toContain('tasks:write')
    for (const url of [document, `${server.origin}/.well-known/oauth-protected-resource`])
      expect(await (await fetch(url)).json()).toMatchObject({
        resource: server.ready.url,
        authorization_servers: [issuer.url],
        scopes_supported: SCOPES,
      })
  })

  it('tokens for another audience, of another client, without a signature or out of date are refused [http-oauth-tokens-another]', async () => {
    await using repository = await createProject()
    await using issuer = await createIssuer(SCOPES)
    await using stranger = await createIssuer(SCOPES)
    await using server = await start(repository.directory, issuer, {
      OAUTH_CLIENT_ID: 'agent',
      OAUTH_AUDIENCE: 'https://tasks.example/mcp',
    })
    const good = { aud: 'https://tasks.example/mcp' }
    const status = async (claims: object, from = issuer) => {
      const token = await tokenFor(server, from, 'entities:read', { ...good, ...claims })
      return (await ask(server, token, '/api/entity.list')).status
    }
    expect(await status({})).toBe(200)
    expect(await status({ resource_aud: 'https://tasks.example/mcp' })).toBe(200)
    expect(await status({ resource_aud: 'https://other.example/mcp' })).toBe(401)
    expect(await status({ aud: server.ready.url })).toBe(401)
    expect(await status({ client_id: 'another' })).toBe(401)
    // Whose token it is says `client_id` (RFC 9068); `azp` is a claim of ID tokens.
    expect(await status({ client_id: 'another', azp: 'agent' })).toBe(401)
    expect(await status({ client_id: 'agent', azp: 'another' })).toBe(200)
    expect(await status({ client_id: undefined, azp: 'agent' })).toBe(401)
    expect(await status({ exp: 1 })).toBe(401)
    expect(await status({ iss: stranger.url })).toBe(401)
    expect(await status({ iss: issuer.url }, stranger)).toBe(401)
    expect(await status({ aud: 'https://tasks.example/mcp/' })).toBe(401)
  })

  it('each operation needs its scope, as a tool and as a route, and the answer names it', async () => {
    await using repository = await createProject()
    await using issuer = await createIssuer(SCOPES)
    await using server = await start(repository.directory, issuer)
    const reading = await tokenFor(server, issuer, 'tasks:read projects:read')
    const writing = await tokenFor(server, issuer, 'tasks:write')
    const refused = await ask(server, reading, '/api/task.create', { title: 'x' })
    expect(refused).toMatchObject({
      status: 403,
      challenge: expect.stringMatching(/error="insufficient_scope".*scope="tasks:write"/),
      body: { error: { code: 'forbidden', details: { scopes: ['tasks:write'] } } },
    })
    expect((await ask(server, writing, '/api/task.create', { title: 'x' })).status).toBe(200)
    // Who may write may read.
    expect((await ask(server, writing, '/api/task.list')).status).toBe(200)
    expect((await ask(server, writing, '/api/project.stats')).status).toBe(403)
    expect((await ask(server, reading, '/api/project.stats')).status).toBe(200)
    const call = await callTool(server, reading)
    expect([call.status, call.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining('scope="tasks:write"'),
    ])
  })

  it('nobody borrows the session or the agent of somebody else [http-oauth-nobody-borrows]', async () => {
    await using repository = await createProject()
    await using issuer = await createIssuer(SCOPES)
    await using server = await start(repository.directory, issuer)
    const scope = 'agents:write tasks:write'
    const ann = await tokenFor(server, issuer, scope, { sub: 'ann' })
    const bob = await tokenFor(server, issuer, scope, { sub: 'bob' })
    const { body } = await ask(server, ann, '/api/agent.join', {})
    const { id, name } = body['agent'] as { id: string; name: string }
    expect(name).toBe('ann')
    expect((await ask(server, ann, '/api/agent.heartbeat', { agent_id: id })).status).toBe(200)
    expect((await ask(server, bob, '/api/agent.heartbeat', { agent_id: id })).status).toBe(403)
    await using client = await connectLegacy(server.ready.url, { token: ann })
    const headers = { authorization: `Bearer ${bob}`, 'mcp-session-id': client.sessionId ?? '' }
    const stolen = await fetch(server.ready.url, { method: 'DELETE', headers })
    expect(stolen.status).toBe(404)
  })

  it('a token that names projects is good for those alone', async () => {
    await using one = await createProject()
    await using two = await createProject()
    await using issuer = await createIssuer(SCOPES)
    const args = ['--project', one.directory, '--project', two.directory]
    await using server = await start('/', issuer, {}, args)
    const [first, second] = [one, two].map(({ directory }) => basename(directory))
    const claims = { aud: server.origin, project_id: [second] }
    const token = await tokenFor(server, issuer, 'entities:read', claims)
    expect((await ask(server, token, `/projects/${second}/api/entity.list`)).status).toBe(200)
    for (const path of [
      `/projects/${first}/api/entity.list`,
      '/api/entity.list',
      '/projects/x/mcp',
    ])
      expect((await ask(server, token, path)).status, path).toBe(403)
  })

  it('an issuer that cannot be reached is no reason to throw away a token', async () => {
    await using repository = await createProject()
    await using issuer = await createIssuer(SCOPES)
    await using server = await start(repository.directory, issuer)
    const token = await tokenFor(server, issuer, 'entities:read')
    await issuer.goAway()
    expect((await ask(server, token, '/api/entity.list')).status).toBe(503)
    await server.kill('SIGTERM')
    expect(server.log.text).not.toContain(token)
  })
})
