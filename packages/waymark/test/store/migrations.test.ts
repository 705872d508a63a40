import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MIGRATIONS, type Migration } from '../../src/store/migrations.ts'
import { Connection } from '../../src/store/sqlite/connection.ts'
import { migrate } from '../../src/store/sqlite/schema.ts'
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

  test('bring an old database to the newest schema step by step', async () => {
    using folder = createFolder()
    const connection = new Connection(join(folder.path, 'a.db'), 'create')
    await migrate(connection, 0, STEPS.slice(0, 1))
    connection.exec("INSERT INTO thing (name) VALUES ('kept')")
    await migrate(connection, 0, STEPS)
    await migrate(connection, 0, STEPS)
    expect(connection.all('SELECT name, size FROM thing')).toEqual([{ name: 'kept', size: 7 }])
    expect(connection.pragma('user_version')).toBe(2)
    connection.close()
  })

  test('that fail leave the database as it was', async () => {
    using folder = createFolder()
    const connection = new Connection(join(folder.path, 'a.db'), 'create')
    const failing = {
      version: 2,
      sqlite: ['ALTER TABLE thing ADD COLUMN size INTEGER', 'nonsense'],
    }
    await expect(migrate(connection, 0, [...STEPS.slice(0, 1), failing])).rejects.toThrow(
      /nonsense/,
    )
    expect(connection.pragma('user_version')).toBe(1)
    expect(connection.all("SELECT name FROM pragma_table_info('thing')")).toEqual([
      { name: 'name' },
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
      await migrate(connection, 1000)
      expect(connection.pragma('user_version')).toBe(MIGRATIONS.length)
      expect(connection.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
      connection.close()
    }
  })
})

/** Databases have run these as they were: what is wrong with one is made good by the next. A release adds its own. */
const RELEASED = ['ea6d93abc0826a05']

const STEPS: readonly Migration[] = [
  { version: 1, sqlite: ['CREATE TABLE thing (name TEXT NOT NULL) STRICT'] },
  { version: 2, sqlite: ['ALTER TABLE thing ADD COLUMN size INTEGER NOT NULL DEFAULT 7'] },
]

function hash(statements: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(statements)).digest('hex').slice(0, 16)
}
