import { firstRelease } from '../migrations/0018-first-release.ts'
import { blockedBy } from '../migrations/0019-blocked-by.ts'
import { agentSessions } from '../migrations/0020-agent-sessions.ts'
import { leaseNotices } from '../migrations/0021-lease-notices.ts'
import { clientConnections } from '../migrations/0022-client-connections.ts'
import { clones } from '../migrations/0023-clones.ts'
import { stemmedIndex } from '../migrations/0024-stemmed-index.ts'
import { sharedLeases } from '../migrations/0025-shared-leases.ts'
import { carriedMessages } from '../migrations/0026-carried-messages.ts'
import { leaseSpans } from '../migrations/0027-lease-spans.ts'
import { jobs } from '../migrations/0028-jobs.ts'
import { smallerStore } from '../migrations/0029-smaller-store.ts'
import { taskRank } from '../migrations/0030-task-rank.ts'
import { entityCounts } from '../migrations/0031-entity-counts.ts'

/** One step of the schema, never edited once released: existing databases have run it in that form. */
export interface Migration {
  /** The first one has the oldest version that can be opened; each further one is its predecessor's plus one. */
  readonly version: number
  readonly sqlite: readonly string[]
  /**
   * The oldest version whose program still works with the tables: replicas of a team server are upgraded one by one.
   * Its own where absent, as if it had changed what that program reads or writes.
   */
  readonly usableFrom?: number
}

export const MIGRATIONS: readonly Migration[] = [
  firstRelease,
  blockedBy,
  agentSessions,
  leaseNotices,
  clientConnections,
  clones,
  stemmedIndex,
  sharedLeases,
  carriedMessages,
  leaseSpans,
  jobs,
  smallerStore,
  taskRank,
  entityCounts,
]
