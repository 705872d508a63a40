import * as root from '@waymark/sqlite'
import { expect, test } from 'vitest'

test('the entry exports these values and no others', () => {
  expect(Object.keys(root).toSorted()).toEqual([
    'Connection',
    'SqliteError',
    'assertSafeVersion',
    'isBusy',
    'loadSqlite',
    'migrate',
    'openDatabase',
    'pauseBeforeRetry',
    'readSchemaVersion',
    'retryWhileBusy',
    'sqliteVersion',
  ])
})
