import { readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { openSqliteSessionStore } from '@waymark/baton/node'
import type { SqliteModule } from '@waymark/sqlite'
import { expect, it } from 'vitest'
import { startOfStream } from '../../src/session/event-id.ts'
import { ALICE, BOB, STATE, createClock, createFolder } from './stores.ts'

it('a session and its events survive a restart', async () => {
  await using folder = await createFolder()
  const path = join(folder.path, 'sessions.db')
  const { now } = createClock()
  let session, eventId
  {
    await using store = await openSqliteSessionStore({ path, now })
    session = await store.create({ owner: ALICE, state: STATE })
    await store.update(session.id, ALICE, (state) => ({
      ...state,
      initialized: true,
      logLevel: 'warning',
      subscriptions: ['test://watched'],
    }))
    eventId = await store.events.append(session.id, session.standaloneStream, 'seen')
    await store.events.append(session.id, session.standaloneStream, 'missed')
  }
  await using store = await openSqliteSessionStore({ path, now })
  const restored = await store.get(session.id, ALICE)
  expect(restored).toEqual({
    ...session,
    state: {
      ...STATE,
      initialized: true,
      logLevel: 'warning',
      subscriptions: ['test://watched'],
    },
  })
  expect(await store.get(session.id, BOB)).toBeUndefined()
  expect(await store.events.readAfter(session.id, eventId ?? '')).toMatchObject({
    events: [{ data: 'missed' }],
  })
  const next = await store.events.append(session.id, session.standaloneStream, 'after')
  expect(next).toMatch(/\.3$/)
})

it.skipIf(process.platform === 'win32')(
  'a session file that is a symbolic link is refused, and nothing is made or written where it leads',
  async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'sessions.db')
    for (const target of ['present', 'absent']) {
      await writeFile(join(folder.path, 'present'), '')
      await symlink(target, join(folder.path, target + '.db'))
      await expect(
        openSqliteSessionStore({ path: join(folder.path, target + '.db') }),
      ).rejects.toThrow('is a symbolic link')
      const found = await readFile(join(folder.path, target), 'utf8').catch(() => 'nothing')
      expect(found).toBe(target === 'present' ? '' : 'nothing')
    }
    await using _ = await openSqliteSessionStore({ path })
  },
)

it('session activity is written when the store closes', async () => {
  await using folder = await createFolder()
  const path = join(folder.path, 'sessions.db')
  const clock = createClock()
  let id
  {
    await using store = await openSqliteSessionStore({ path, now: clock.now })
    id = (await store.create({ owner: ALICE, state: STATE })).id
    clock.advance(4 * 60_000)
    store.touch(id, 'message')
  }
  clock.advance(4 * 60_000)
  await using store = await openSqliteSessionStore({ path, now: clock.now })
  expect(await store.get(id, ALICE)).toBeDefined()
})

it('another connection to the file wakes the watchers', async () => {
  await using folder = await createFolder()
  const path = join(folder.path, 'sessions.db')
  await using reader = await openSqliteSessionStore({ path })
  await using writer = await openSqliteSessionStore({ path })
  const session = await reader.create({ owner: ALICE, state: STATE })
  const woken = new Promise<void>((resolve) => {
    reader.events.watch(session.standaloneStream, resolve)
  })
  await writer.events.append(session.id, session.standaloneStream, 'from elsewhere')
  await woken
  expect(
    await reader.events.readAfter(session.id, startOfStream(session.standaloneStream)),
  ).toMatchObject({ events: [{ data: 'from elsewhere' }] })
})

it('the file and its WAL are readable by the owner only', async () => {
  await using folder = await createFolder()
  const path = join(folder.path, 'sessions.db')
  const umask = process.umask(0)
  try {
    await using store = await openSqliteSessionStore({ path })
    await store.create({ owner: ALICE, state: STATE })
    for (const name of [path, `${path}-wal`, `${path}-shm`])
      expect((await stat(name)).mode & 0o777, name).toBe(0o600)
  } finally {
    process.umask(umask)
  }
})

it('acknowledged writes are flushed to disk', async () => {
  await using folder = await createFolder()
  const settings: unknown[] = []
  class Recording extends DatabaseSync {
    override close(): void {
      settings.push(
        this.prepare('PRAGMA synchronous').get(),
        this.prepare('PRAGMA journal_mode').get(),
      )
      super.close()
    }
  }
  const sqlite: SqliteModule = { DatabaseSync: Recording }
  const store = await openSqliteSessionStore({ path: join(folder.path, 'sessions.db'), sqlite })
  settings.length = 0
  await store[Symbol.asyncDispose]()
  expect(settings).toMatchObject([{ synchronous: 2 }, { journal_mode: 'wal' }])
})

it('a database of another application is refused and not changed', async () => {
  await using folder = await createFolder()
  const path = join(folder.path, 'other.db')
  const other = new DatabaseSync(path)
  other.exec('CREATE TABLE precious (value TEXT)')
  other.close()
  await expect(openSqliteSessionStore({ path })).rejects.toThrow('another application')
  const after = new DatabaseSync(path)
  expect(after.prepare('SELECT name FROM sqlite_schema').all()).toMatchObject([
    { name: 'precious' },
  ])
  after.close()
})

it('a file of a newer version is refused', async () => {
  await using folder = await createFolder()
  const path = join(folder.path, 'sessions.db')
  await (await openSqliteSessionStore({ path }))[Symbol.asyncDispose]()
  const newer = new DatabaseSync(path)
  newer.exec('PRAGMA user_version = 1000')
  newer.close()
  await expect(openSqliteSessionStore({ path })).rejects.toThrow('newer version')
})

it('a file that is not a database is refused', async () => {
  await using folder = await createFolder()
  const path = join(folder.path, 'sessions.db')
  await writeFile(path, 'not a database, but long enough to be looked at '.repeat(50))
  await expect(openSqliteSessionStore({ path })).rejects.toThrow('not a database')
})

it('a SQLite that is too old is refused before the file is created', async () => {
  await using folder = await createFolder()
  const path = join(folder.path, 'sessions.db')
  class Old extends DatabaseSync {
    override prepare(sql: string): ReturnType<InstanceType<typeof DatabaseSync>['prepare']> {
      return super.prepare(sql.replace('sqlite_version()', "'3.45.1'"))
    }
  }
  await expect(openSqliteSessionStore({ path, sqlite: { DatabaseSync: Old } })).rejects.toThrow(
    'SQLite 3.45.1 can lose committed data; 3.51.3 or newer is needed',
  )
  await expect(stat(path)).rejects.toThrow('ENOENT')
})

it('a stream whose writer died ends with its fallback answer, once', async () => {
  await using folder = await createFolder()
  const path = join(folder.path, 'sessions.db')
  const clock = createClock()
  const dying = await openSqliteSessionStore({ path, now: clock.now })
  await using reader = await openSqliteSessionStore({ path, now: clock.now })
  await using other = await openSqliteSessionStore({ path, now: clock.now })
  const session = await dying.create({ owner: ALICE, state: STATE })
  const stream = (await dying.events.openStream(session.id, 'sorry')) ?? ''
  await dying.events.append(session.id, stream, 'began')
  const start = startOfStream(stream)
  expect(await reader.events.readAfter(session.id, start)).toMatchObject({
    events: [{ data: 'began' }],
    closed: false,
  })
  // A process that is killed renews its lease no more.
  clock.advance(30_000)
  const replays = await Promise.all([
    reader.events.readAfter(session.id, start),
    other.events.readAfter(session.id, start),
    reader.events.readAfter(session.id, start),
  ])
  for (const replay of replays) {
    expect(replay).toMatchObject({ events: [{ data: 'began' }, { data: 'sorry' }], closed: true })
  }
  expect(await dying.events.append(session.id, stream, 'late')).toBeUndefined()
  await dying[Symbol.asyncDispose]()
})

it('a stream whose writer lives, or without a fallback answer, is not ended', async () => {
  await using folder = await createFolder()
  const path = join(folder.path, 'sessions.db')
  const clock = createClock()
  await using writer = await openSqliteSessionStore({ path, now: clock.now })
  await using reader = await openSqliteSessionStore({ path, now: clock.now })
  const session = await writer.create({ owner: ALICE, state: STATE })
  const willing = startOfStream((await writer.events.openStream(session.id, 'sorry')) ?? '')
  const silent = startOfStream((await writer.events.openStream(session.id)) ?? '')
  const standalone = startOfStream(session.standaloneStream)
  clock.advance(29_999)
  expect(await reader.events.readAfter(session.id, willing)).toMatchObject({ events: [] })
  clock.advance(60_000)
  expect(await writer.events.readAfter(session.id, willing)).toMatchObject({ events: [] })
  for (const start of [silent, standalone])
    expect(await reader.events.readAfter(session.id, start)).toMatchObject({
      events: [],
      closed: false,
    })
})
