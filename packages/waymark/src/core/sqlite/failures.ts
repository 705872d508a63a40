import { SqliteError, type SqliteErrorCode, retryWhileBusy as retry } from '@waymark/sqlite'
import { describeDenied } from '../../support/files/denied.ts'
import { notRegular } from '../../support/files/regular-file.ts'
import { Failure, type FailureCode } from '../error.ts'

/** What to do about a database that cannot be used any more. It is never replaced silently. */
export const REMEDY =
  'restore it from a copy, or move the state folder away and run `waymark init` to start empty'

type Wording = readonly [code: FailureCode, message: string]

/** What the errors of a database mean to a caller. */
const WORDINGS: Readonly<
  Record<Exclude<SqliteErrorCode, 'not_regular' | 'older_file' | 'unsafe_version'>, Wording>
> = {
  busy: ['busy', 'other processes keep the store busy; try again'],
  full: ['storage_full', 'the disk is full and nothing was written; free some space and try again'],
  read_only: [
    'storage_read_only',
    'the database cannot be written; check its owner and permissions',
  ],
  cannot_open: [
    'storage_unavailable',
    'the database cannot be opened; check that the state folder is there and may be written',
  ],
  io_error: ['storage_unavailable', 'the disk reported an error; check it and try again'],
  no_locks: [
    'storage_unavailable',
    'the file system cannot lock files; keep the repository on a local disk',
  ],
  corrupt: ['storage_corrupt', `the database is damaged; ${REMEDY}`],
  malformed_json: [
    'storage_corrupt',
    'a row is damaged in the database; `waymark doctor` says what can be done',
  ],
  foreign_key: ['not_found', 'the referenced record does not exist'],
  unique: ['conflict', 'the id, number or name is taken'],
  missing: ['storage_corrupt', `the database is missing; ${REMEDY}`],
  empty: ['storage_corrupt', `the database is empty; ${REMEDY}`],
  replaced: ['storage_unavailable', 'the database was replaced at this moment; try again'],
  no_driver: [
    'storage_unavailable',
    'no SQLite found that is safe for several processes; install waymark again or update Node',
  ],
  foreign_file: ['storage_corrupt', `the database is not one of waymark; ${REMEDY}`],
  newer_file: ['storage_newer', 'a newer waymark has used this project; update waymark'],
}

/** The Failure that an error of the database stands for; any other error as it is. */
export function toFailure(error: unknown): unknown {
  if (!(error instanceof SqliteError)) return error
  const { code, details } = error
  if (code === 'not_regular') return notRegular(String(details['kind']), String(details['path']))
  if (code === 'read_only' && typeof details['path'] === 'string') {
    return new Failure('storage_read_only', describeDenied(details['path']), { cause: error })
  }
  const [failureCode, message] = toWording(code, details)
  return new Failure(failureCode, message, { details, cause: error })
}

/** Retries a step while other processes hold the lock; an error of the database becomes a Failure. */
export async function retryWhileBusy<T>(step: () => T, limitMs: number): Promise<T> {
  try {
    return await retry(step, limitMs)
  } catch (error) {
    throw toFailure(error)
  }
}

export async function withFailures<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toFailure(error)
  }
}

/** For a call that comes after the end. */
export function closed(): Failure {
  return new Failure('storage_unavailable', 'the store is closed')
}

function toWording(
  code: Exclude<SqliteErrorCode, 'not_regular'>,
  { version, found }: SqliteError['details'],
): Wording {
  if (code === 'unsafe_version') {
    const problem = `SQLite ${version} can lose data when several processes write`
    return ['storage_unavailable', `${problem}; install waymark again or update Node`]
  }
  if (code === 'older_file') {
    const problem = `the database has schema version ${found} of an unreleased waymark`
    const remedy =
      'run `waymark sync` with that waymark, move the state folder away, then run `waymark init` and `waymark sync` with this one'
    return ['storage_corrupt', `${problem}; ${remedy}`]
  }
  return WORDINGS[code]
}
