import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DatabaseSync } from '@photostructure/sqlite'
import {
  assertSafeVersion,
  Connection,
  loadSqlite,
  type SqliteDatabase,
  type SqliteStatement,
  sqliteVersion,
} from '@waymark/sqlite'
import { expect, test } from 'vitest'
import { isSafeVersion } from '../src/driver.ts'
import { createFolder } from './folder.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

test.each([
  ['3.51.2', false],
  ['3.51.3', true],
  ['3.51.10', true],
  ['3.52.0', false],
  ['3.52.1', true],
  ['3.53.0', true],
  ['3.9.9', false],
  ['4.0.0', true],
  ['2.99.99', false],
  ['0', false],
])('SQLite %s is safe for many writers: %s', (version, safe) => {
  expect(isSafeVersion(version)).toBe(safe)
})

test('the chosen SQLite is a safe one', () => {
  expect(isSafeVersion(sqliteVersion(loadSqlite()))).toBe(true)
})

test('an unsafe SQLite is closed again and refused, with the version that is needed [driver-unsafe-sqlite]', () => {
  let closed = 0
  class OldDatabase implements SqliteDatabase {
    exec(): void {}
    prepare() {
      return { get: () => ({ version: '3.51.2' }), all: () => [], run: () => ({ changes: 0 }) }
    }
    close(): void {
      closed += 1
    }
  }
  const sqlite = { DatabaseSync: OldDatabase }
  const refusal = expect.objectContaining({
    code: 'unsafe_version',
    message: 'SQLite 3.51.2 can lose committed data; 3.51.3 or newer is needed',
    details: { version: '3.51.2', needed: '3.51.3' },
  })
  expect(() => assertSafeVersion(sqlite)).toThrow(refusal)
  expect(closed).toBe(1)
  using folder = createFolder()
  const path = join(folder.path, 'a.db')
  expect(() => new Connection(path, 'create', { sqlite })).toThrow(refusal)
  expect(existsSync(path)).toBe(false)
})

test('a module of the caller needs no more than exec, prepare and close', () => {
  class Minimal implements SqliteDatabase {
    readonly #database: InstanceType<typeof DatabaseSync>
    constructor(path: string) {
      this.#database = new DatabaseSync(path)
    }
    exec(sql: string): void {
      this.#database.exec(sql)
    }
    prepare(sql: string): SqliteStatement {
      return this.#database.prepare(sql)
    }
    close(): void {
      this.#database.close()
    }
  }
  using folder = createFolder()
  const path = join(folder.path, 'a.db')
  const open = (): Connection =>
    new Connection(path, 'create', { sqlite: { DatabaseSync: Minimal } })
  const connection = open()
  connection.exec('CREATE TABLE t (a)')
  expect(() =>
    connection.transaction(() => {
      connection.run('INSERT INTO t VALUES (?)', 1)
      throw new Error('no')
    }),
  ).toThrow('no')
  connection.exec('BEGIN IMMEDIATE')
  connection.close()
  const again = open()
  expect(again.transaction(() => again.run('INSERT INTO t VALUES (?)', 2))).toBe(1)
  expect(again.all('SELECT a FROM t')).toEqual([{ a: 2 }])
  again.close()
})

test('opening a database prints no warning', () => {
  using folder = createFolder()
  const program = `import { Connection } from '@waymark/sqlite'
new Connection(process.argv[1], 'create').close()`
  const args = ['--import', 'tsx', '--conditions=@waymark/source', '--input-type=module']
  const { stderr, status } = spawnSync(
    process.execPath,
    [...args, '--eval', program, join(folder.path, 'a.db')],
    { cwd: ROOT, encoding: 'utf8' },
  )
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
})
