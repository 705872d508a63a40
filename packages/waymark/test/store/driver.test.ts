import { expect, test } from 'vitest'
import { Failure } from '../../src/core/error.ts'
import { isSafe, openHandle, type SqliteHandle } from '../../src/core/sqlite/driver.ts'

test.each([
  ['3.51.2', false],
  ['3.51.3', true],
  ['3.51.10', true],
  ['3.52.0', false],
  ['3.53.0', true],
  ['3.9.9', false],
  ['4.0.0', true],
  ['2.99.99', false],
  ['0', false],
])('SQLite %s is safe for many writers: %s', (version, safe) => {
  expect(isSafe(version)).toBe(safe)
})

test('an unsafe SQLite is closed again and refused, with the version that is needed', () => {
  let isClosed = false
  class OldDatabase implements SqliteHandle {
    readonly isTransaction = false
    exec(): void {}
    prepare() {
      return { get: () => ({ version: '3.51.2' }), all: () => [], run: () => ({ changes: 0 }) }
    }
    close(): void {
      isClosed = true
    }
  }
  const open = () =>
    openHandle('file::memory:', { readOnly: true, timeout: 0 }, { DatabaseSync: OldDatabase })
  expect(open).toThrow(Failure)
  expect(open).toThrow(/SQLite 3\.51\.2 can lose data .* update Node/)
  expect(isClosed).toBe(true)
})
