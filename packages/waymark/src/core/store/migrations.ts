import { firstRelease } from '../migrations/0018-first-release.ts'
import { leaseNotices } from '../migrations/0019-lease-notices.ts'

/** One step of the schema, never edited once released: existing databases have run it in that form. */
export interface Migration {
  /** The first one has the oldest version that can be opened; each further one is its predecessor's plus one. */
  readonly version: number
  readonly sqlite: readonly string[]
}

export const MIGRATIONS: readonly Migration[] = [firstRelease, leaseNotices]
