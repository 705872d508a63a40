import { AsyncLocalStorage, executionAsyncResource } from 'node:async_hooks'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Failure } from '../../src/core/error.ts'
import { createEntity, createWorkspace, insertEntity, toNewEntity } from './workspace.ts'

test('a closed store leaves nothing in the async context of the process', async () => {
  // Node 20 and 22 give each resource a property for each AsyncLocalStorage that was not disabled.
  const storages = () => Object.getOwnPropertySymbols(executionAsyncResource()).length
  const useStore = async () => {
    await using workspace = await createWorkspace()
    await createEntity(await workspace.open())
  }
  await useStore()
  await new Promise((resolve) => setImmediate(resolve))
  const before = storages()
  for (let round = 0; round < 3; round += 1) await useStore()
  await new Promise((resolve) => setImmediate(resolve))
  expect(storages()).toBe(before)
})

describe('a write', () => {
  test('is seen by others when it is acknowledged, and not before', async () => {
    await using workspace = await createWorkspace()
    const [mine, other] = [await workspace.open(), await workspace.open()]
    const entity = await mine.write(async (tx) => {
      const inserted = await insertEntity(tx)
      expect(await tx.entities.byId(inserted.id)).toEqual(inserted)
      expect(await mine.entities.byId(inserted.id)).toBeUndefined()
      expect(await other.entities.byId(inserted.id)).toBeUndefined()
      return inserted
    })
    expect(await mine.entities.byId(entity.id)).toEqual(entity)
    expect(await other.entities.byId(entity.id)).toEqual(entity)
  })

  test('that throws leaves nothing, not even a gap', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    await createEntity(store)
    const failing = store.write(async (tx) => {
      await insertEntity(tx)
      throw new Failure('conflict', 'changed my mind')
    })
    await expect(failing).rejects.toMatchObject({ code: 'conflict' })
    expect(await store.events.latest()).toBe(1)
    expect((await createEntity(store)).number).toBe(2)
  })

  test('cannot start another write', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const nested = store.write(async () => createEntity(store))
    await expect(nested).rejects.toMatchObject({ code: 'internal' })
    await createEntity(store)
    expect(await store.events.latest()).toBe(1)
  })

  test('can be followed by one that its own code starts later', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const later = await store.write(async () => {
      const inherited = new AsyncLocalStorage<string>()
      return inherited.run('kept', () => AsyncLocalStorage.bind(() => createEntity(store)))
    })
    expect((await later()).number).toBe(1)
  })

  test('cannot use its transaction after the end', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const tx = await store.write(async (transaction) => transaction)
    await expect(insertEntity(tx)).rejects.toMatchObject({ code: 'internal' })
    expect(await store.events.latest()).toBe(0)
  })

  test('that failed cannot go on in the transaction of the next one', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    let proceed = (): void => {}
    const held = new Promise<void>((resolve) => (proceed = resolve))
    let late: Promise<unknown> | undefined
    const failing = store.write(async (tx) => {
      late = held.then(() => insertEntity(tx))
      throw new Failure('conflict', 'changed my mind')
    })
    await expect(failing).rejects.toMatchObject({ code: 'conflict' })
    await store.write(async (tx) => {
      proceed()
      await expect(late).rejects.toMatchObject({ code: 'internal' })
      await insertEntity(tx)
    })
    expect(await store.events.latest()).toBe(1)
  })

  test('runs in the async context of its caller', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const caller = new AsyncLocalStorage<number>()
    const seen = await Promise.all(
      [1, 2, 3].map((n) => caller.run(n, () => store.write(async () => caller.getStore()))),
    )
    expect(seen).toEqual([1, 2, 3])
  })

  test('after the end is refused, and what was waiting is finished', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const waiting = createEntity(store)
    await store.close()
    expect((await waiting).number).toBe(1)
    await expect(createEntity(store)).rejects.toMatchObject({ code: 'storage_unavailable' })
    await expect(store.events.latest()).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(await (await workspace.open()).events.latest()).toBe(1)
  })

  test('that breaks a rule of the database says which kind', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const { id } = await createEntity(store)
    await expect(createEntity(store, { id })).rejects.toMatchObject({ code: 'conflict' })
    const dangling = store.write((tx) =>
      tx.relations.insert({
        sourceId: id,
        type: 'references',
        targetId: toNewEntity().id,
        properties: {},
        createdAt: 1,
        createdBy: null,
      }),
    )
    await expect(dangling).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('writes that wait together', () => {
  test('share one transaction', async () => {
    await using workspace = await createWorkspace()
    const database = await workspace.openDatabase()
    // A transaction takes in new work for some milliseconds, which on a busy machine are over before the last of it.
    const uptime = vi.spyOn(process, 'uptime').mockReturnValue(process.uptime())
    onTestFinished(() => uptime.mockRestore())
    const seen = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        database.write(async (tx) => {
          await tx.run('INSERT INTO counter (name, value) VALUES (?, ?)', [`job ${n}`, n])
          const row = await tx.get<{ jobs: number }>(
            "SELECT count(*) AS jobs FROM counter WHERE name LIKE 'job %'",
          )
          const committed = await database.get<{ jobs: number }>(
            "SELECT count(*) AS jobs FROM counter WHERE name LIKE 'job %'",
          )
          return [row?.jobs, committed?.jobs]
        }),
      ),
    )
    // Each sees those before it, though none of them is committed yet.
    expect(seen).toEqual(Array.from({ length: 20 }, (_, n) => [n + 1, 0]))
  })

  test('fail alone', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const results = await Promise.allSettled(
      Array.from({ length: 9 }, (_, n) =>
        store.write(async (tx) => {
          const entity = await insertEntity(tx, { title: String(n) })
          if (n % 3 === 1) throw new Failure('conflict', 'not this one')
          if (n % 3 === 2) await insertEntity(tx, { id: entity.id })
          return entity.number
        }),
      ),
    )
    expect(results.map(({ status }) => status)).toEqual(
      Array.from({ length: 9 }, (_, n) => (n % 3 === 0 ? 'fulfilled' : 'rejected')),
    )
    const { entities } = await store.entities.list({ limit: 10, offset: 0 })
    expect(entities.map(({ number, title }) => [number, title])).toEqual([
      [1, '0'],
      [2, '3'],
      [3, '6'],
    ])
    expect(await store.events.latest()).toBe(3)
  })

  test('are written though the first of them fails, which is undone', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const failing = store.write(async (tx) => {
      await insertEntity(tx, { title: 'undone' })
      throw new Failure('conflict', 'not this one')
    })
    const others = [createEntity(store), createEntity(store)]
    await expect(failing).rejects.toMatchObject({ code: 'conflict' })
    expect((await Promise.all(others)).map(({ number }) => number)).toEqual([1, 2])
    expect((await store.entities.list({ limit: 10, offset: 0 })).total).toBe(2)
  })

  test('go on after the memory of the store was released', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const before = await createEntity(store)
    store.releaseMemory()
    await createEntity(store)
    expect(await store.entities.byId(before.id)).toEqual(before)
    expect(await store.events.latest()).toBe(2)
  })

  test('fail together when the commit fails, and nothing is half done', async () => {
    await using workspace = await createWorkspace()
    const database = await workspace.openDatabase()
    const count = (name: string) =>
      database.write((tx) => tx.run('INSERT INTO counter (name, value) VALUES (?, 1)', [name]))
    const results = await Promise.allSettled([
      count('before'),
      // A rule that is checked by the commit only.
      database.write(async (tx) => {
        await tx.run('PRAGMA defer_foreign_keys = ON')
        await tx.run("INSERT INTO tag (tag, entity_id) VALUES ('orphan', 'nobody')")
      }),
      count('after'),
    ])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(await database.all("SELECT 1 FROM counter WHERE name IN ('before', 'after')")).toEqual(
      [],
    )
    expect(await database.all('SELECT 1 FROM tag')).toEqual([])
    await count('again')
    expect(await database.all("SELECT value FROM counter WHERE name = 'again'")).toEqual([
      { value: 1 },
    ])
  })
})

describe('a write that has to wait', () => {
  test('is cancelled by its signal and writes nothing', async () => {
    await using workspace = await createWorkspace()
    const [store, holder] = [await workspace.open(), await workspace.open()]
    const controller = new AbortController()
    await holder.write(async () => {
      const waiting = store.write((tx) => insertEntity(tx), { signal: controller.signal })
      controller.abort()
      await expect(waiting).rejects.toMatchObject({ code: 'cancelled' })
    })
    const late = store.write((tx) => insertEntity(tx), { signal: controller.signal })
    await expect(late).rejects.toMatchObject({ code: 'cancelled' })
    expect(await store.events.latest()).toBe(0)
  })

  test('gives up as busy when its patience ends, and the store goes on', async () => {
    await using workspace = await createWorkspace()
    const [impatient, holder] = [await workspace.openDatabase(30), await workspace.openDatabase()]
    const insert = "INSERT INTO counter (name, value) VALUES ('mine', 1)"
    await holder.write(async () => {
      const waiting = impatient.write((tx) => tx.run(insert))
      await expect(waiting).rejects.toMatchObject({ code: 'busy' })
    })
    expect(await impatient.write((tx) => tx.run(insert))).toBe(1)
  })

  test('is not held up for ever by one that does not end', async () => {
    await using workspace = await createWorkspace()
    const [database, other] = [await workspace.openDatabase(200), await workspace.openDatabase()]
    const insert = "INSERT INTO counter (name, value) VALUES ('mine', 1)"
    const endless = database.write(async (tx) => {
      await tx.run(insert)
      await new Promise(() => {})
    })
    const waiting = other.write((tx) => tx.run(insert))
    await expect(endless).rejects.toMatchObject({ code: 'timeout' })
    expect(await waiting).toBe(1)
  })

  test('gets its turn when the other is done', async () => {
    await using workspace = await createWorkspace()
    const [store, holder] = [await workspace.open(), await workspace.open()]
    let waiting: Promise<unknown> = Promise.resolve()
    await holder.write(async (tx) => {
      waiting = createEntity(store)
      await new Promise((resolve) => setImmediate(resolve))
      await insertEntity(tx)
    })
    await waiting
    expect(await store.events.latest()).toBe(2)
  })
})
