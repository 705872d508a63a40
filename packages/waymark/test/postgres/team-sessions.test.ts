import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { type JsonMessage, LegacyClient, openEvents } from '../../../baton/test/http/http-client.ts'
import { type HttpServer, startHttp } from '../e2e/http-server.ts'
import { createDatabase, createTeamSite, ORIGIN, SECRET, type TestDatabase } from './team-site.ts'

const MEDULLA = '/projects/api/mcp/medulla'
const CREATE = { name: 'entity_create', arguments: { type: 'task', title: 'T' } }
const WATCHED = 'medulla://entities/tasks'

interface Project {
  readonly database: TestDatabase
  readonly token: string
}

async function createTeamProject(): Promise<Project & AsyncDisposable> {
  const database = await createDatabase()
  await database.admin('init', 'api')
  const words = ['token', 'create', 'ann', '--project', 'api', '--role', 'agent']
  const { token } = await database.admin<{ token: string }>(...words)
  return { database, token, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

function startReplica({ database }: Project): Promise<HttpServer> {
  return startHttp(tmpdir(), ['--http', '0', '--database'], {
    WAYMARK_DATABASE_URL: database.url,
    WAYMARK_HTTP_SECRET: SECRET,
  })
}

function clientOf(token: string, send: (request: Request) => Promise<Response>): LegacyClient {
  const headers = { authorization: `Bearer ${token}` }
  return new LegacyClient({ url: `${ORIGIN}${MEDULLA}`, send, headers })
}

async function begin(client: LegacyClient, path = MEDULLA): Promise<void> {
  client.url = new URL(path, client.url).href
  expect((await client.initialize()).status).toBe(200)
  await client.notify('notifications/initialized')
}

/** The notifications of a stream, as they come, and the id of the last. */
function listen(response: Response) {
  const { events, hangUp } = openEvents(response)
  const heard: JsonMessage[] = []
  let last: string | undefined
  const reading = (async () => {
    for await (const { id, data } of events) {
      last = id
      if (data !== '') heard.push(JSON.parse(data) as JsonMessage)
    }
  })().catch(() => {})
  const stop = async () => {
    await hangUp().catch(() => {})
    await reading
  }
  return { heard, lastId: () => last ?? '', stop }
}

const structured = ({ result }: JsonMessage) => result?.['structuredContent']

it('a session goes on at another replica after kill -9: agent, lease, subscriptions, stream [team-session-moves]', async () => {
  await using project = await createTeamProject()
  await using first = await startReplica(project)
  await using second = await startReplica(project)
  const client = clientOf(project.token, (request) => fetch(request))
  const goTo = ({ origin }: HttpServer, path = MEDULLA) => (client.url = `${origin}${path}`)
  goTo(first)
  await begin(client)
  await client.call('resources/subscribe', { uri: WATCHED })
  const before = listen(await client.get())
  await client.call('tools/call', CREATE)
  await expect.poll(() => before.heard).toHaveLength(1)
  await first.kill('SIGKILL')
  await before.stop()

  goTo(second)
  const after = listen(await client.get({ 'last-event-id': before.lastId() }))
  await client.call('tools/call', CREATE)
  await expect.poll(() => after.heard.length).toBeGreaterThan(0)
  expect(after.heard).toEqual([expect.objectContaining({ params: { uri: WATCHED } })])
  await after.stop()
})

it('an agent whose replica was killed keeps its lease and completes at the other [team-session-lease]', async () => {
  await using project = await createTeamProject()
  await using first = await startReplica(project)
  await using second = await startReplica(project)
  const client = clientOf(project.token, (request) => fetch(request))
  const path = '/projects/api/mcp'
  client.url = first.origin
  await begin(client, path)
  const call = async (name: string, args: object = {}) =>
    structured(await client.call('tools/call', { name, arguments: args }))
  await call('task_create', { tasks: [{ title: 'T' }] })
  const taken = await call('task_next', { claim: true })
  await first.kill('SIGKILL')
  client.url = `${second.origin}${path}`
  expect(await call('brief')).toMatchObject({ leases: [{ number: 1, fence: 1 }] })
  const { fence } = (taken as { claimed: { fence: number } }).claimed
  expect(await call('task_update', { ids: ['1'], action: 'complete', fence })).toMatchObject({
    tasks: [{ number: 1, status: 'done' }],
  })
})

it('each message may go to any replica, and a change is told once [team-session-anywhere]', async () => {
  await using project = await createTeamProject()
  await using first = await createTeamSite(project.database)
  await using second = await createTeamSite(project.database)
  let at = 0
  // A load balancer that takes turns.
  const client = clientOf(project.token, (request) =>
    (at++ % 2 === 0 ? first : second).site.fetch(request),
  )
  await begin(client)
  for (let count = 0; count < 4; count += 1) expect((await client.call('ping')).result).toEqual({})
  await client.call('resources/subscribe', { uri: WATCHED })
  await client.call('ping')
  const stream = listen(await client.get())
  for (let count = 1; count <= 4; count += 1) {
    await client.call('tools/call', CREATE)
    await expect.poll(() => stream.heard).toHaveLength(count)
  }
  // Time enough for a second telling: the slowest way between replicas is a poll each second.
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(stream.heard).toHaveLength(4)
  await client.call('resources/unsubscribe', { uri: WATCHED })
  await client.call('tools/call', CREATE)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(stream.heard).toHaveLength(4)
  expect((await client.delete()).status).toBe(204)
  for (let count = 0; count < 2; count += 1) expect((await client.request('ping')).status).toBe(404)
  await stream.stop()
})

it('a session belongs to its member at every replica [team-session-owner]', async () => {
  await using project = await createTeamProject()
  await using first = await createTeamSite(project.database)
  await using second = await createTeamSite(project.database)
  const words = ['token', 'create', 'bo', '--project', 'api', '--role', 'agent']
  const other = await project.database.admin<{ token: string }>(...words)
  const client = clientOf(project.token, first.site.fetch)
  await begin(client)
  const thief = clientOf(other.token, second.site.fetch)
  thief.sessionId = client.sessionId
  expect((await thief.request('ping')).status).toBe(404)
  expect((await thief.get()).status).toBe(404)
  expect((await thief.delete()).status).toBe(404)
  const there = clientOf(project.token, second.site.fetch)
  there.sessionId = client.sessionId
  expect((await there.call('ping')).result).toEqual({})
  // The same session is none of another endpoint.
  there.url = `${ORIGIN}/projects/api/mcp`
  expect((await there.request('ping')).status).toBe(404)
})

it('an idle session ends in the time of the database at every replica [team-session-expires]', async () => {
  await using project = await createTeamProject()
  await using first = await createTeamSite(project.database)
  await using second = await createTeamSite(project.database)
  const client = clientOf(project.token, first.site.fetch)
  await begin(client)
  const there = clientOf(project.token, second.site.fetch)
  there.sessionId = client.sessionId
  expect((await there.call('ping')).result).toEqual({})
  await project.database.query(
    `UPDATE waymark_team.mcp_session SET seen_at = seen_at - 3600000, connected_until = 0`,
  )
  // What a replica has not written yet is an hour ago too.
  await using third = await createTeamSite(project.database)
  const late = clientOf(project.token, third.site.fetch)
  late.sessionId = client.sessionId
  expect((await late.request('ping')).status).toBe(404)
})

it('a message of a session gets 503 and when to come back while the database is away [team-session-away]', async () => {
  const database = await createDatabase()
  await database.admin('init', 'api')
  await using site = await createTeamSite(database)
  const client = clientOf(SECRET, site.site.fetch)
  await begin(client)
  await database[Symbol.asyncDispose]()
  const refused = await client.request('ping')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
})

it('has the tables that the sessions of baton need [team-session-tables]', async () => {
  const { sessionTables } = await import('@waymark/baton/node')
  await using database = await createDatabase()
  await database.admin('init', 'api')
  await database.query('CREATE SCHEMA other')
  for (const statement of sessionTables('other')) await database.query(statement)
  const columnsOf = (schema: string) =>
    database.query(
      `SELECT table_name, column_name, data_type, is_nullable, column_default
        FROM information_schema.columns WHERE table_schema = $1 AND table_name LIKE 'mcp\\_%'
        ORDER BY table_name, ordinal_position`,
      [schema],
    )
  expect(await columnsOf('waymark_team')).toEqual(await columnsOf('other'))
  expect(await columnsOf('other')).not.toEqual([])
})
