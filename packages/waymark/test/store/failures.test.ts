import { SqliteError, type SqliteErrorCode } from '@waymark/sqlite'
import { expect, test } from 'vitest'
import { Failure } from '../../src/core/error.ts'
import { toFailure } from '../../src/core/sqlite/failures.ts'

test.each([
  ['busy', {}, 'busy', 'other processes keep the store busy; try again'],
  ['full', {}, 'storage_full', /^the disk is full and nothing was written/],
  ['read_only', {}, 'storage_read_only', /check its owner and permissions$/],
  ['corrupt', {}, 'storage_corrupt', /^the database is damaged; restore it from a copy/],
  ['malformed_json', {}, 'storage_corrupt', /`waymark doctor`/],
  ['unique', {}, 'conflict', 'the id, number or name is taken'],
  ['foreign_key', {}, 'not_found', 'the referenced record does not exist'],
  [
    'unsafe_version',
    { version: '3.51.2', needed: '3.51.3' },
    'storage_unavailable',
    'SQLite 3.51.2 can lose data when several processes write; install waymark again or update Node',
  ],
  [
    'newer_file',
    { found: 9, supported: 2 },
    'storage_newer',
    'a newer waymark has used this project; update waymark',
  ],
] as const)('a %s error of the database says what to do', (code, details, failureCode, message) => {
  const error = new SqliteError(code satisfies SqliteErrorCode, 'words of SQLite', { details })
  const failure = toFailure(error)
  expect(failure).toBeInstanceOf(Failure)
  expect(failure).toMatchObject({
    code: failureCode,
    message: typeof message === 'string' ? message : expect.stringMatching(message),
    details,
    cause: error,
  })
})

test('a database that is no regular file is named, and never by its absolute path', () => {
  const refused = (kind: string): unknown =>
    toFailure(
      new SqliteError('not_regular', 'not a regular file', {
        details: { kind, path: '/home/ada/project/.git/waymark/waymark.db' },
      }),
    )
  expect(refused('symbolic link')).toMatchObject({
    message: expect.stringMatching(/^\.git\/waymark\/waymark\.db is a symbolic link, which/),
  })
  expect(refused('folder')).toMatchObject({
    message: '.git/waymark/waymark.db is a folder, not a regular file; move it away',
  })
})

test('any other error stays what it is', () => {
  const error = new Error('near "nonsense": syntax error')
  expect(toFailure(error)).toBe(error)
})
