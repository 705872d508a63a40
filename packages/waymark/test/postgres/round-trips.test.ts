import { afterEach, expect, it } from 'vitest'
import { type Context, createContext } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { openPool, openPostgres } from '../../src/core/postgres/open.ts'
import { migrateProject } from '../../src/core/postgres/schema/schema.ts'
import { createStore, type Store } from '../../src/core/store/store.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'
import { listEntities } from '../../src/entity/operations.ts'
import { listEvents } from '../../src/event/operations.ts'
import { SILENT } from '../../src/support/logger.ts'
import { takeTask } from '../../src/task/lease/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { countRoundTrips } from './wire-counter.ts'

const DATABASE = process.env['WAYMARK_DATABASE_URL'] ?? ''

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]()
})

async function openStore(url: string): Promise<Store> {
  const shared = openPool(DATABASE)
  const projectId = crypto.randomUUID()
  await migrateProject(shared.pool, { projectId, createdAt: Date.now() })
  const store = createStore(await openPostgres(projectId, url))
  opened.push(store, shared)
  return store
}

function contextOf(store: Store): Context {
  const agent = { name: 'ada', surface: 'http', owner: 'team' } as const
  return createContext({ store, agent, logger: SILENT, idempotencyKey: crypto.randomUUID() })
}

it('waits for the server at most four times to create a task, five to take one [postgres-round-trips]', async () => {
  await using wire = await countRoundTrips(DATABASE)
  const store = await openStore(wire.url)
  const create = async (title: string) =>
    await execute(contextOf(store), createTask, { title, labels: ['parser'], content: 'Text' })
  // The first one joins the agent and opens a connection.
  await create('First')
  await execute(contextOf(store), takeTask, {})
  wire.take()
  await create('Second')
  expect(wire.take()).toBeLessThanOrEqual(4)
  const { claimed } = await execute(contextOf(store), takeTask, {})
  expect(wire.take()).toBeLessThanOrEqual(5)
  const { number } = claimed?.task ?? {}
  await execute(contextOf(store), completeTask, {
    id: String(number),
    fence: claimed?.lease.fence,
  })
  expect(wire.take()).toBeLessThanOrEqual(6)
})

it('tells the call whose write fails, keeps nothing of it and all of the others [postgres-late-error]', async () => {
  const store = await openStore(DATABASE)
  const id = toEntityId(crypto.randomUUID())
  const insert = (title: string, entityId = toEntityId(crypto.randomUUID())) =>
    store.write(async (tx) => {
      const at = await tx.now(Date)
      const row = { type: 'note', content: null, tags: [], status: null, properties: {} }
      await tx.entities.insert({ ...row, id: entityId, title, createdAt: at, createdBy: 'ada' })
      await tx.events.append({
        type: 'entity.created',
        subject: entityId,
        at,
        agent: null,
        data: {},
      })
      return title
    })
  await insert('Kept', id)
  // One transaction for all: that an id is taken is known only when they are committed.
  const outcomes = await Promise.allSettled([insert('One'), insert('Taken', id), insert('Two')])
  expect(outcomes).toEqual([
    { status: 'fulfilled', value: 'One' },
    { status: 'rejected', reason: expect.objectContaining({ code: 'conflict' }) },
    { status: 'fulfilled', value: 'Two' },
  ])
  const context = contextOf(store)
  const { entities } = await execute(context, listEntities, {})
  expect(entities.map(({ title }) => title).toSorted()).toEqual(['Kept', 'One', 'Two'])
  const { events } = await execute(context, listEvents, {})
  expect(events.map((event) => event.id).toSorted((a, b) => a - b)).toEqual([1, 2, 3])
})

it('undoes a call that throws after it has written, alone [postgres-undone-alone]', async () => {
  const store = await openStore(DATABASE)
  const write = (title: string, fails: boolean) =>
    store.write(async (tx) => {
      const at = await tx.now(Date)
      const row = { type: 'note', content: null, tags: [], status: null, properties: {} }
      const id = toEntityId(crypto.randomUUID())
      const entity = { ...row, id, title, createdAt: at, createdBy: 'ada' }
      const { number } = await tx.entities.insert(entity)
      // A read of what was written: from here on the server has it.
      expect((await tx.entities.byId(id))?.title).toBe(title)
      if (fails) throw new Error('no')
      return number
    })
  const outcomes = await Promise.allSettled([
    write('A', true),
    write('B', false),
    write('C', true),
    write('D', false),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
  const rows = await store.entities.after(0, 10)
  expect(rows.map(({ number, title }) => [number, title])).toEqual([
    [1, 'B'],
    [2, 'D'],
  ])
})

it('goes on, also to read, when its prepared statements are gone [postgres-unprepared]', async () => {
  const store = await openStore(DATABASE)
  const create = async (title: string) => await execute(contextOf(store), createTask, { title })
  const list = async () => (await execute(contextOf(store), listEntities, {})).entities.length
  await create('First')
  expect(await list()).toBe(1)
  await using shared = openPool(DATABASE)
  // As a pooling proxy does after each transaction.
  await shared.pool.use((client) => client.query('DISCARD ALL'))
  expect(await list()).toBe(1)
  await create('Second')
  expect(await list()).toBe(2)
})
