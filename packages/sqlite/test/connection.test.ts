import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Connection } from '@waymark/sqlite'
import { describe, expect, test } from 'vitest'
import { createFolder } from './folder.ts'

const onPosix = test.skipIf(process.platform === 'win32')

describe('opening', () => {
  onPosix('creates a file that only its owner can read, side files included', () => {
    using folder = createFolder()
    const path = join(folder.path, 'a.db')
    const umask = process.umask(0)
    try {
      const connection = new Connection(path, 'create')
      connection.useWriteAheadLog()
      connection.exec('CREATE TABLE t (a)')
      for (const name of [path, `${path}-wal`, `${path}-shm`])
        expect([name, statSync(name).mode & 0o777]).toEqual([name, 0o600])
      connection.close()
    } finally {
      process.umask(umask)
    }
  })

  test.each(['read', 'write'] as const)(
    'for %s creates no file and accepts no empty one',
    (access) => {
      using folder = createFolder()
      const path = join(folder.path, 'a.db')
      expect(() => new Connection(path, access)).toThrow(
        expect.objectContaining({ code: 'missing' }),
      )
      expect(existsSync(path)).toBe(false)
      writeFileSync(path, '')
      expect(() => new Connection(path, access)).toThrow(expect.objectContaining({ code: 'empty' }))
    },
  )

  onPosix('follows no symbolic link, and creates nothing at its target', () => {
    using folder = createFolder()
    for (const target of ['present', 'absent']) {
      const path = join(folder.path, `${target}.db`)
      writeFileSync(join(folder.path, 'present'), '')
      symlinkSync(target, path)
      expect(() => new Connection(path, 'create')).toThrow(
        expect.objectContaining({ code: 'not_regular', details: { kind: 'symbolic link', path } }),
      )
    }
    expect(readFileSync(join(folder.path, 'present'), 'utf8')).toBe('')
    expect(existsSync(join(folder.path, 'absent'))).toBe(false)
  })

  test('refuses a folder', () => {
    using folder = createFolder()
    const path = join(folder.path, 'a.db')
    mkdirSync(path)
    expect(() => new Connection(path, 'create')).toThrow(
      expect.objectContaining({ code: 'not_regular', details: { kind: 'folder', path } }),
    )
  })

  test('for read cannot write', () => {
    using folder = createFolder()
    const path = createTable(folder.path)
    const reader = new Connection(path, 'read')
    expect(() => reader.run('INSERT INTO t VALUES (1)')).toThrow(
      expect.objectContaining({ code: 'read_only' }),
    )
    reader.close()
  })
})

describe('a connection', () => {
  test('flushes each commit, waits for no lock in C, and gives the schema of the file no rights', () => {
    using folder = createFolder()
    const connection = new Connection(createTable(folder.path), 'write', { cacheKilobytes: 4000 })
    const settings = Object.assign(
      {},
      ...[
        'synchronous',
        'foreign_keys',
        'busy_timeout',
        'trusted_schema',
        'cell_size_check',
        'cache_size',
      ].map((name) => connection.get(`PRAGMA ${name}`)),
    ) as unknown
    expect(settings).toEqual({
      synchronous: 2,
      foreign_keys: 1,
      timeout: 0,
      trusted_schema: 0,
      cell_size_check: 1,
      cache_size: -4000,
    })
    connection.close()
  })

  test('undoes a transaction that throws', () => {
    using folder = createFolder()
    const connection = new Connection(createTable(folder.path), 'write')
    expect(() =>
      connection.transaction(() => {
        connection.run('INSERT INTO t VALUES (?)', 1)
        throw new Error('no')
      }),
    ).toThrow('no')
    expect(connection.inTransaction).toBe(false)
    expect(connection.transaction(() => connection.run('INSERT INTO t VALUES (?)', 2))).toBe(1)
    expect(connection.all('SELECT a FROM t')).toEqual([{ a: 2 }])
    connection.close()
  })

  test('that is closed in a transaction gives the lock back', () => {
    using folder = createFolder()
    const path = createTable(folder.path)
    const first = new Connection(path, 'write')
    const second = new Connection(path, 'write')
    first.exec('BEGIN IMMEDIATE')
    first.run('INSERT INTO t VALUES (?)', 1)
    expect(() => second.exec('BEGIN IMMEDIATE')).toThrow(expect.objectContaining({ code: 'busy' }))
    first.close()
    second.exec('BEGIN IMMEDIATE')
    expect(second.all('SELECT a FROM t')).toEqual([])
    second.close()
  })

  test('runs more statements than it keeps prepared', () => {
    using folder = createFolder()
    const connection = new Connection(createTable(folder.path), 'write')
    for (let n = 0; n < 500; n += 1) expect(connection.get(`SELECT ${n} AS n`)).toEqual({ n })
    expect(connection.get('SELECT 0 AS n')).toEqual({ n: 0 })
    connection.close()
  })

  onPosix('notices that its file was replaced', () => {
    using folder = createFolder()
    const path = createTable(folder.path)
    const connection = new Connection(path, 'write')
    expect(connection.isMoved).toBe(false)
    renameSync(path, `${path}.away`)
    expect(connection.isMoved).toBe(true)
    writeFileSync(path, '')
    expect(connection.isMoved).toBe(true)
    connection.close()
  })
})

function createTable(folder: string): string {
  const path = join(folder, 'a.db')
  const connection = new Connection(path, 'create')
  connection.exec('CREATE TABLE t (a)')
  connection.close()
  return path
}
