import { describe, expect, it } from 'vitest'
import { eventsOf, LegacyClient } from '../../../baton/test/http/http-client.ts'
import { hasPgBouncer, startPgBouncer } from './pgbouncer.ts'
import { createDatabase, createTeamSite, ORIGIN, SECRET } from './team-site.ts'

const TASKS = 24
const CALLERS = 8

interface Taken {
  readonly claimed: { readonly task: { readonly id: string }; readonly lease: object } | null
}

describe.skipIf(!hasPgBouncer)(
  'behind PgBouncer, which lends connections for a transaction',
  () => {
    it('two replicas give each task to one agent, and hear of each other [pgbouncer-claims]', async () => {
      await using database = await createDatabase()
      await using bouncer = await startPgBouncer(database.url)
      // Also the changes of the schema.
      await database.admin('init', 'api', '--database', bouncer.url)
      await using first = await createTeamSite(bouncer)
      await using second = await createTeamSite(bouncer)
      const tasks = Array.from({ length: TASKS }, (_, at) => ({ title: `Task ${at}` }))
      expect((await first.call('/api/task.create_many', { tasks })).status).toBe(200)
      const taken: string[] = []
      const take = async (at: number): Promise<void> => {
        const site = at % 2 === 0 ? first : second
        for (;;) {
          const init = {
            method: 'POST',
            body: '{}',
            headers: { 'content-type': 'application/json', 'waymark-agent': `agent-${at}` },
          }
          const response = await site.ask('/api/task.take', init)
          expect(response.status).toBe(200)
          const { claimed } = (await response.json()) as Taken
          if (claimed === null) return
          taken.push(claimed.task.id)
        }
      }
      await Promise.all(Array.from({ length: CALLERS }, (_, at) => take(at)))
      expect(taken).toHaveLength(TASKS)
      expect(new Set(taken).size).toBe(TASKS)
      const { body } = await first.call<{ events: { id: number }[] }>('/api/event.list', {
        limit: 500,
      })
      const since = Math.max(...body.events.map(({ id }) => id))
      const waiting = first.call<{ events: object[] }>('/api/event.wait', { since, seconds: 60 })
      const began = performance.now()
      await second.call('/api/task.create', { title: 'One more' })
      expect((await waiting).body.events).not.toEqual([])
      expect(performance.now() - began).toBeLessThan(30_000)
    })

    it('a session and its stream go on at another replica [pgbouncer-sessions]', async () => {
      await using database = await createDatabase()
      await database.admin('init', 'api')
      await using bouncer = await startPgBouncer(database.url)
      await using first = await createTeamSite(bouncer)
      await using second = await createTeamSite(bouncer)
      const clientOf = (send: typeof first.site.fetch) =>
        new LegacyClient({
          url: `${ORIGIN}/projects/api/mcp/medulla`,
          send,
          headers: { authorization: `Bearer ${SECRET}` },
        })
      const here = clientOf(first.site.fetch)
      await here.initialize()
      await here.notify('notifications/initialized')
      await here.call('resources/subscribe', { uri: 'medulla://entities/tasks' })
      const stream = eventsOf(await here.get())
      const there = clientOf(second.site.fetch)
      there.sessionId = here.sessionId
      const call = { name: 'entity_create', arguments: { type: 'task', title: 'T' } }
      expect(await there.call('tools/call', call)).toMatchObject({ result: {} })
      for await (const { data } of stream) if (data.includes('medulla://entities/tasks')) break
      expect((await there.delete()).status).toBe(204)
      expect((await here.request('ping')).status).toBe(404)
    })
  },
)
