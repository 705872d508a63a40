import { closeSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Connection, SqliteError } from '@waymark/sqlite'
import { describe, expect, test } from 'vitest'
import { createFolder } from './folder.ts'

/** A database of a few hundred pages, in SQLite's first journal mode, where a writer can lock readers out. */
function createDatabase(path: string): void {
  const connection = new Connection(path, 'create')
  connection.exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT);
    WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 5000)
    INSERT INTO t SELECT id, hex(randomblob(100)) FROM n`)
  connection.close()
}

// The packaged driver forgets SQLite's number for an error that comes while `all` is reading.
describe('an error in the middle of reading many rows', () => {
  test('a locked database is busy', () => {
    using folder = createFolder()
    const path = join(folder.path, 'locked.db')
    createDatabase(path)
    const writer = new Connection(path, 'write')
    const reader = new Connection(path, 'read')
    writer.exec('BEGIN EXCLUSIVE')
    expect(() => reader.all('SELECT * FROM t')).toThrow(
      expect.objectContaining({ code: 'busy', isFatal: false }),
    )
    writer.exec('ROLLBACK')
    expect(reader.all('SELECT * FROM t')).toHaveLength(5000)
    reader.close()
    writer.close()
  })

  test('damaged pages are corruption, and the connection is not used again', () => {
    using folder = createFolder()
    const path = join(folder.path, 'damaged.db')
    createDatabase(path)
    const file = openSync(path, 'r+')
    writeSync(
      file,
      Buffer.alloc(4096, 0xff),
      0,
      4096,
      Math.floor(statSync(path).size / 2 / 4096) * 4096,
    )
    closeSync(file)
    const reader = new Connection(path, 'read')
    expect(() => reader.all('SELECT * FROM t')).toThrow(
      expect.objectContaining({ code: 'corrupt', isFatal: true }),
    )
    expect(reader.isBroken).toBe(true)
    reader.close()
  })
})

test('a broken constraint and malformed JSON leave the connection usable', () => {
  using folder = createFolder()
  const connection = new Connection(join(folder.path, 'a.db'), 'create')
  connection.exec(`CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT UNIQUE) STRICT;
    CREATE TABLE b (a_id INTEGER NOT NULL REFERENCES a) STRICT;
    INSERT INTO a VALUES (1, 'one')`)
  const codeOf = (sql: string): unknown => {
    try {
      connection.run(sql)
    } catch (error) {
      return error instanceof SqliteError ? error.code : error
    }
    return undefined
  }
  expect(codeOf("INSERT INTO a VALUES (1, 'two')")).toBe('unique')
  expect(codeOf("INSERT INTO a VALUES (2, 'one')")).toBe('unique')
  expect(codeOf('INSERT INTO b VALUES (3)')).toBe('foreign_key')
  expect(codeOf("UPDATE a SET name = json_extract('{', '$')")).toBe('malformed_json')
  expect(codeOf('nonsense')).not.toBeInstanceOf(SqliteError)
  expect(connection.isBroken).toBe(false)
  expect(connection.all('SELECT * FROM a')).toEqual([{ id: 1, name: 'one' }])
  connection.close()
})

test('the message is that of SQLite, and the error of the driver its cause', () => {
  using folder = createFolder()
  const path = join(folder.path, 'a.db')
  writeFileSync(path, 'not a database, but long enough to be looked at '.repeat(50))
  let error: unknown
  try {
    new Connection(path, 'read').get('SELECT 1 FROM sqlite_schema')
  } catch (thrown) {
    error = thrown
  }
  expect(error).toMatchObject({ code: 'corrupt', message: 'file is not a database' })
  expect(error).toHaveProperty('cause.code', 'ERR_SQLITE_ERROR')
})
