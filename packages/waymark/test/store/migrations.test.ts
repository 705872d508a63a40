import { createHash } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MIGRATIONS } from '../../src/core/store/migrations.ts'
import { Connection } from '@waymark/sqlite'
import { migrate, useLog } from '../../src/core/sqlite/schema.ts'
import { Child } from './child.ts'
import { createFolder } from './workspace.ts'

describe('migrations', () => {
  test('are numbered without gaps', () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(
      MIGRATIONS.map((_, index) => index + 1),
    )
  })

  test('are never edited once released', () => {
    const hashes = MIGRATIONS.map(({ sqlite }) => hash(sqlite))
    expect(hashes.slice(0, RELEASED.length)).toEqual(RELEASED)
  })

  test('interrupted after every statement leave one version or the next, with everything that was in it [migrations-interrupted-after]', async () => {
    using folder = createFolder()
    const path = join(folder.path, 'a.db')
    const wanted = new Map<number, string[]>([[0, []]])
    const copies: string[] = []
    const connection = new CopiedConnection(path, 'create')
    useLog(connection)
    for (const migration of MIGRATIONS) {
      connection.afterStatement = () => copies.push(copyTo(path, `${path}.${copies.length}`))
      await migrate(connection, 0, MIGRATIONS.slice(0, migration.version))
      connection.afterStatement = undefined
      wanted.set(migration.version, schemaOf(connection))
      if (migration.version === 1) connection.exec(OLD_ROWS)
    }
    connection.close()
    // Each has a statement that begins it, one that says its version and one that ends it.
    expect(copies.length).toBe(
      MIGRATIONS.flatMap(({ sqlite }) => sqlite).length + 3 * MIGRATIONS.length,
    )

    const seen = new Set<number>()
    // From the last one back: the first of a version is the one with the most in it.
    for (const copy of copies.toReversed()) {
      const found = new Connection(copy, 'create')
      const version = found.pragma('user_version')
      expect(schemaOf(found)).toEqual(wanted.get(version))
      if (!seen.has(version)) {
        seen.add(version)
        await migrate(found, 1000)
        expect(schemaOf(found)).toEqual(wanted.get(MIGRATIONS.length))
        expect(found.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
        const rows = found.all('SELECT title, status FROM entity ORDER BY number')
        expect(rows).toEqual(version === 0 ? [] : OLD_TITLES)
      }
      found.close()
    }
    expect([...seen].toReversed()).toEqual([...wanted.keys()])
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
      await migrate(connection, 1000)
      expect(connection.pragma('user_version')).toBe(MIGRATIONS.length)
      expect(connection.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
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
  { title: 'a note', status: null },
  { title: 'a task', status: 'todo' },
]

/** Databases have run these as they were: what is wrong with one is made good by the next. A release adds its own. */
const RELEASED = ['ea6d93abc0826a05']

function hash(statements: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(statements)).digest('hex').slice(0, 16)
}
