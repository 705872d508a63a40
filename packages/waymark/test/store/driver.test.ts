import { expect, test } from 'vitest'
import { isSafe } from '../../src/store/sqlite/driver.ts'

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
