import { DatabaseError } from 'pg'
import { Failure, type FailureCode } from '../error.ts'
import { isUnprepared } from './wire/prepared.ts'

type Wording = readonly [code: FailureCode, message: string]

/** By SQLSTATE, or by its class of two characters. */
const WORDINGS: Readonly<Record<string, Wording>> = {
  // Not quoted: it may hold a password.
  ERR_INVALID_URL: [
    'invalid_input',
    'WAYMARK_DATABASE_URL: must be an address such as postgres://user@host/database',
  ],
  '23503': ['not_found', 'the referenced record does not exist'],
  '23505': ['conflict', 'the id, number or name is taken'],
  '22P05': [
    'invalid_input',
    'a text contains the character U+0000, which the database cannot store',
  ],
  '22021': [
    'invalid_input',
    'a text contains the character U+0000, which the database cannot store',
  ],
  '25006': ['storage_read_only', 'the database server only reads; connect to the primary'],
  '42501': [
    'storage_read_only',
    'the database refused: its user lacks the right; the owner gives it with `waymark admin grant`',
  ],
  '40': ['busy', 'other transactions got in the way; try again'],
  '55P03': ['busy', 'other processes keep the store busy; try again'],
  '57014': ['timeout', 'the statement took too long and was undone'],
  '53': ['storage_unavailable', 'the database server has too little memory, disk or connections'],
  '53100': ['storage_full', 'the disk of the database server is full and nothing was written'],
  '3D': [
    'storage_unavailable',
    'the database does not exist; create it, then run `waymark admin init`',
  ],
  '28': ['storage_unavailable', 'the database server refuses the user or the password'],
  '3F': ['not_initialised', 'the database has no such project; run `waymark admin init`'],
  '42P01': ['not_initialised', 'the database has no tables of Waymark; run `waymark admin init`'],
}

const UNREACHABLE: Wording = [
  'storage_unavailable',
  'the database server cannot be reached; check that it runs and try again',
]

/** Socket errors have a code of the system, and pg reports a lost connection as plain text. */
const LOST = /^(?:E[A-Z]+|)$/
const LOST_TEXT =
  /connection|timeout exceeded when trying to connect|socket|not queryable|the database system is/i

/** The Failure that an error of the database stands for; any other error as it is. */
export function toFailure(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Failure) return error
  const state = stateOf(error)
  const wording = WORDINGS[state] ?? WORDINGS[state.slice(0, 2)]
  if (wording !== undefined) return new Failure(wording[0], wording[1], { cause: error })
  return isLost(error) ? new Failure(...UNREACHABLE, { cause: error }) : error
}

/** The connection is gone: it is not known what the server did with what was sent last. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const state = stateOf(error)
  if (error instanceof DatabaseError) return /^(?:08|25P03|57P0[1-3])/.test(state)
  return LOST.test(state) && (state !== '' || LOST_TEXT.test(error.message))
}

/** Passing by itself: the server is away, only reads until it is promoted, or asks for the transaction to be repeated. */
export function isTransient(error: unknown): boolean {
  if (isLost(error) || isUnprepared(error)) return true
  return error instanceof DatabaseError && /^(?:25006|40001|40P01)/.test(stateOf(error))
}

function stateOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
