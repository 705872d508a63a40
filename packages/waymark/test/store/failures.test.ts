import { openSync, closeSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Connection } from '../../src/core/sqlite/connection.ts'
import { createFolder } from './workspace.ts'

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
    expect(() => reader.all('SELECT * FROM t')).toThrow(expect.objectContaining({ code: 'busy' }))
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
      expect.objectContaining({ code: 'storage_corrupt' }),
    )
    expect(reader.isBroken).toBe(true)
    reader.close()
  })
})
