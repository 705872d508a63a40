import { createHash } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MIGRATIONS, type Migration } from '../../src/core/store/migrations.ts'
import { Connection, retryWhileBusy } from '@waymark/sqlite'
import { migrate, useLog } from '../../src/core/sqlite/database.ts'
import { Child } from './child.ts'
import { createFolder } from './workspace.ts'

/** A next version, so that the upgrade of a store is tried before there is one. */
const NEXT: Migration = {
  version: newest(MIGRATIONS) + 1,
  sqlite: [
    `ALTER TABLE entity ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey'`,
    `CREATE TABLE entity_colour (colour TEXT NOT NULL PRIMARY KEY) STRICT`,
    `INSERT INTO entity_colour SELECT DISTINCT colour FROM entity`,
  ],
}
const UPGRADED = [...MIGRATIONS, NEXT]

describe('migrations', () => {
  test('are numbered without gaps from the first release', () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(
      MIGRATIONS.map((_, index) => 18 + index),
    )
  })

  test('are never edited once released', () => {
    expect(MIGRATIONS.map(({ sqlite }) => hash(sqlite))).toEqual(RELEASED)
  })

  test('that programs before them still work with only add to the tables [migrations-usable-from]', () => {
    const adds =
      /^(?:CREATE (?:TABLE|INDEX) |ALTER TABLE \w+ ADD COLUMN (?!.*NOT NULL(?!.*DEFAULT)))/
    const sharing = MIGRATIONS.filter(({ version, usableFrom = version }) => usableFrom < version)
    const changing = sharing.filter(({ sqlite }) => sqlite.some((sql) => !adds.test(sql)))
    expect(changing).toEqual([])
    expect(adds.test(NEXT.sqlite[0] ?? '')).toBe(true)
    for (const sql of [
      'DROP INDEX a',
      'ALTER TABLE a ADD COLUMN b TEXT NOT NULL',
      'UPDATE a SET b = 1',
    ])
      expect(adds.test(sql), sql).toBe(false)
  })

  test('interrupted after every statement leave one version or the next, with everything that was in it [migrations-interrupted-after]', async () => {
    using folder = createFolder()
    const path = join(folder.path, 'a.db')
    const wanted = new Map<number, string[]>([[0, []]])
    const copies: string[] = []
    const connection = new CopiedConnection(path, 'create')
    useLog(connection)
    for (const [index, { version }] of UPGRADED.entries()) {
      connection.afterStatement = () => copies.push(copyTo(path, `${path}.${copies.length}`))
      await migrate(connection, 0, UPGRADED.slice(0, index + 1))
      connection.afterStatement = undefined
      wanted.set(version, schemaOf(connection))
      if (index === 0) connection.exec(OLD_ROWS)
    }
    connection.close()
    // BEGIN, the version and COMMIT come on top of each migration's statements.
    expect(copies.length).toBe(
      UPGRADED.flatMap(({ sqlite }) => sqlite).length + 3 * UPGRADED.length,
    )

    const seen = new Set<number>()
    // From the last one back: the first of a version is the one with the most in it.
    for (const copy of copies.toReversed()) {
      const found = new Connection(copy, 'create')
      const version = found.pragma('user_version')
      expect(schemaOf(found)).toEqual(wanted.get(version))
      if (!seen.has(version)) {
        seen.add(version)
        await migrate(found, 1000, UPGRADED)
        expect(schemaOf(found)).toEqual(wanted.get(NEXT.version))
        expect(found.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
        const rows = found.all('SELECT title, status, colour FROM entity ORDER BY number')
        expect(rows).toEqual(version === 0 ? [] : OLD_TITLES)
      }
      found.close()
    }
    expect([...seen].toReversed()).toEqual([...wanted.keys()])
  })

  test('of an older store say why each task is not to be worked on', async () => {
    using folder = createFolder()
    const connection = new Connection(join(folder.path, 'a.db'), 'create')
    await migrate(connection, 1000, MIGRATIONS.slice(0, 1))
    connection.exec(`PRAGMA foreign_keys = OFF;
      INSERT INTO task (id, number, status, priority, due, closed, resolved, blocked)
        VALUES ('free', 1, 'todo', 5, '', 0, 0, 0), ('waiting', 2, 'blocked', 5, '', 0, 0, 1),
          ('said', 3, 'blocked', 5, '', 0, 0, 0), ('whole', 4, 'todo', 5, '', 0, 0, 0);
      INSERT INTO task_facet (facet, value, priority, due, number, id, closed, resolved, blocked)
        VALUES ('label', 'x', 5, '', 4, 'whole', 0, 0, 0);
      INSERT INTO relation (source_id, type, target_id, properties, created_at)
        VALUES ('free', 'subtask_of', 'whole', '{}', 1)`)
    await migrate(connection, 1000, MIGRATIONS)
    const blocked = connection.all('SELECT id, blocked FROM task ORDER BY number')
    expect(blocked).toEqual([
      { id: 'free', blocked: 0 },
      { id: 'waiting', blocked: 1 },
      { id: 'said', blocked: 2 },
      { id: 'whole', blocked: 3 },
    ])
    expect(connection.all('SELECT blocked FROM task_facet')).toEqual([{ blocked: 3 }])
    connection.close()
  })

  test('of an older store count its entities', async () => {
    using folder = createFolder()
    const connection = new Connection(join(folder.path, 'a.db'), 'create')
    await migrate(connection, 1000, MIGRATIONS.slice(0, 1))
    connection.exec(OLD_ROWS)
    connection.exec(`INSERT INTO entity (id, number, type, title, tags, status, properties,
        created_at, updated_at, deleted_at, revision)
      VALUES ('c', 3, 'task', 'of tomorrow', '[]', 'paused', '{}', 1, 1, NULL, 1),
        ('d', 4, 'epic', 'of tomorrow', '[]', 'todo', '{}', 1, 1, NULL, 1),
        ('e', 5, 'note', 'deleted', '[]', NULL, '{}', 1, 1, 1, 1)`)
    await migrate(connection, 1000, MIGRATIONS)
    const counts = connection.all<{ name: string; value: number }>(
      `SELECT name, value FROM counter WHERE name LIKE 'entities %' ORDER BY name`,
    )
    expect(counts.map(({ name, value }) => [name, value])).toEqual([
      ['entities *', 1],
      ['entities note', 1],
      ['entities task *', 1],
      ['entities task todo', 1],
    ])
    connection.close()
  })

  test('killed at any statement leave the old schema or the new one', async () => {
    using folder = createFolder()
    const statements = MIGRATIONS.flatMap(({ sqlite }) => sqlite).length
    const points = [0, 1, Math.floor(statements / 2), statements - 1, statements]
    for (const point of points) {
      const path = join(folder.path, `${point}.db`)
      const child = new Child('migrator', [path, String(point)])
      await child.line(1)
      await child.kill()

      const connection = new Connection(path, 'create')
      const version = connection.pragma('user_version')
      const tables = connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'").length
      expect(version === 0).toBe(tables === 0)
      await migrate(connection, 1000, UPGRADED)
      expect(connection.pragma('user_version')).toBe(NEXT.version)
      expect(connection.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
      connection.close()
    }
  })

  test('of one store by many processes at once run once', async () => {
    using folder = createFolder()
    const path = join(folder.path, 'a.db')
    const connections = Array.from({ length: 8 }, () => new Connection(path, 'create'))
    for (const connection of connections) await retryWhileBusy(() => useLog(connection), 10_000)
    await Promise.all(connections.map((connection) => migrate(connection, 10_000, UPGRADED)))
    for (const connection of connections) {
      expect(connection.pragma('user_version')).toBe(NEXT.version)
      connection.close()
    }
  })
})

/** Tells of every statement that was executed. */
class CopiedConnection extends Connection {
  declare afterStatement: (() => void) | undefined

  override exec(sql: string): void {
    super.exec(sql)
    this.afterStatement?.()
  }
}

/** What a process that is killed now leaves behind. */
function copyTo(path: string, copy: string): string {
  for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix)
  return copy
}

function schemaOf(connection: Connection): string[] {
  const rows = connection.all<{ name: string; sql: string | null }>(
    'SELECT name, sql FROM sqlite_schema ORDER BY name',
  )
  return rows.map(({ name, sql }) => `${name}: ${sql}`)
}

const OLD_ROWS = `
  INSERT INTO entity (id, number, type, title, tags, status, properties, created_at, updated_at, revision)
    VALUES ('a', 1, 'note', 'a note', '["x"]', NULL, '{}', 1, 1, 1),
      ('b', 2, 'task', 'a task', '[]', 'todo', '{"status":"todo","priority":5}', 2, 2, 1);
  INSERT INTO tag VALUES ('x', 'a');
  INSERT INTO relation (source_id, type, target_id, properties, created_at)
    VALUES ('a', 'documents', 'b', '{}', 3);
  UPDATE counter SET value = 2 WHERE name = 'entity'`
const OLD_TITLES = [
  { title: 'a note', status: null, colour: 'grey' },
  { title: 'a task', status: 'todo', colour: 'grey' },
]

/** One hash for each migration. Databases have run these statements: a mistake in one is corrected by the next. */
const RELEASED = [
  '2fe67b6e2aed21ee',
  '0de5a203a01b88c8',
  'f835b24bd0ec68dd',
  '3013c807f32c11ab',
  '72622a4cacc21377',
  '6d05c8ec9e325c52',
  'f361ad08829f2ad4',
  '27e3939ffd455770',
  'b6a75b774d858a24',
  'd7bc26fe4feb3cfb',
  '1744e9c7983f9ce8',
  'a4969cd07a31e1e1',
  '1a09f97ff804f775',
  '6d3e72093f1c0e06',
]

function newest(migrations: readonly Migration[]): number {
  return Math.max(...migrations.map(({ version }) => version))
}

function hash(statements: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(statements)).digest('hex').slice(0, 16)
}
