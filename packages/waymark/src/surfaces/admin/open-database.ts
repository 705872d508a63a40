import { Failure } from '../../core/error.ts'
import { openPool, type SharedPool } from '../../core/postgres/open.ts'
import { readSetting } from '../../core/project/settings.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface AdminOptions {
  readonly database?: string
  readonly json?: boolean
}

/** The database of the flag, or of the environment. */
export function openDatabase(
  { database }: AdminOptions,
  { env }: Pick<Terminal, 'env'>,
): SharedPool {
  const url = readSetting('database', { env, flag: database })
  if (url !== undefined) return openPool(url)
  throw new Failure('invalid_input', 'database: set WAYMARK_DATABASE_URL, or pass --database', {
    details: { field: 'database' },
  })
}
