import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Connection, migrate, openDatabase, type Schema } from '@waymark/sqlite'
import { expect, test } from 'vitest'
import { createFolder } from './folder.ts'

const FIRST: Schema = {
  applicationId: 0x61_62_63_64,
  migrations: [['CREATE TABLE thing (name TEXT NOT NULL) STRICT']],
}
const SECOND: Schema = {
  ...FIRST,
  migrations: [
    ...FIRST.migrations,
    ['ALTER TABLE thing ADD COLUMN size INTEGER NOT NULL DEFAULT 7', 'CREATE TABLE other (a)'],
  ],
}

test('migrations bring an old database to the newest schema step by step', async () => {
  using folder = createFolder()
  const connection = new Connection(join(folder.path, 'a.db'), 'create')
  await migrate(connection, FIRST, 0)
  connection.exec("INSERT INTO thing (name) VALUES ('kept')")
  await migrate(connection, SECOND, 0)
  await migrate(connection, SECOND, 0)
  expect(connection.all('SELECT name, size FROM thing')).toEqual([{ name: 'kept', size: 7 }])
  expect(connection.pragma('user_version')).toBe(2)
  expect(connection.pragma('application_id')).toBe(FIRST.applicationId)
  connection.close()
})

test('a migration that fails leaves the database as it was', async () => {
  using folder = createFolder()
  const connection = new Connection(join(folder.path, 'a.db'), 'create')
  const failing = {
    ...FIRST,
    migrations: [...FIRST.migrations, ['ALTER TABLE thing ADD COLUMN size INTEGER', 'nonsense']],
  }
  await expect(migrate(connection, failing, 0)).rejects.toThrow(/nonsense/)
  expect(connection.pragma('user_version')).toBe(1)
  expect(connection.all("SELECT name FROM pragma_table_info('thing')")).toEqual([{ name: 'name' }])
  connection.close()
})

test('many connections may migrate a new file at once, and each migration runs once', async () => {
  using folder = createFolder()
  const path = join(folder.path, 'a.db')
  const open = () => openDatabase(path, { schema: SECOND, busyLimitMs: 10_000 })
  const connections = await Promise.all(Array.from({ length: 8 }, open))
  for (const connection of connections) {
    expect(connection.pragma('user_version')).toBe(2)
    expect(connection.get('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' })
    connection.close()
  }
})

test('a database of another application is refused, and no byte of it changes', async () => {
  using folder = createFolder()
  const path = join(folder.path, 'a.db')
  const other = new Connection(path, 'create')
  other.exec('CREATE TABLE precious (value TEXT)')
  other.close()
  const before = readFileSync(path)
  await expect(openDatabase(path, { schema: FIRST, busyLimitMs: 0 })).rejects.toMatchObject({
    code: 'foreign_file',
  })
  expect(readFileSync(path)).toEqual(before)
})

test('a file that a newer program has migrated is refused', async () => {
  using folder = createFolder()
  const path = join(folder.path, 'a.db')
  const newer = await openDatabase(path, { schema: SECOND, busyLimitMs: 0 })
  newer.close()
  await expect(openDatabase(path, { schema: FIRST, busyLimitMs: 0 })).rejects.toMatchObject({
    code: 'newer_file',
    details: { found: 2, supported: 1 },
  })
})

test('a schema may begin at a later version, and refuses files from before it', async () => {
  using folder = createFolder()
  const path = join(folder.path, 'a.db')
  const old = await openDatabase(path, { schema: FIRST, busyLimitMs: 0 })
  old.close()
  const before = readFileSync(path)
  const schema = { ...SECOND, firstVersion: 5 }
  await expect(openDatabase(path, { schema, busyLimitMs: 0 })).rejects.toMatchObject({
    code: 'older_file',
    details: { found: 1, oldest: 5 },
  })
  expect(readFileSync(path)).toEqual(before)
  const fresh = await openDatabase(join(folder.path, 'b.db'), { schema, busyLimitMs: 0 })
  expect(fresh.pragma('user_version')).toBe(6)
  fresh.close()
})

test('a schema without an application id accepts files that have none', async () => {
  using folder = createFolder()
  const path = join(folder.path, 'a.db')
  const { migrations } = FIRST
  for (const _ of [1, 2]) {
    const connection = await openDatabase(path, { schema: { migrations }, busyLimitMs: 0 })
    expect(connection.pragma('application_id')).toBe(0)
    connection.close()
  }
})
