import { firstTables } from './migrations/0001-first-tables.ts'
import { tasksAndCrew } from './migrations/0002-tasks-and-crew.ts'
import { search } from './migrations/0003-search.ts'
import { vectors } from './migrations/0004-vectors.ts'
import { replica } from './migrations/0005-replica.ts'
import { annotations } from './migrations/0006-annotations.ts'
import { looks } from './migrations/0007-looks.ts'
import { origins } from './migrations/0008-origins.ts'
import { artifacts } from './migrations/0009-artifacts.ts'
import { logSegments } from './migrations/0010-log-segments.ts'
import { largeProjects } from './migrations/0011-large-projects.ts'
import { firstChanges } from './migrations/0012-first-changes.ts'
import { attempts } from './migrations/0013-attempts.ts'
import { deferredTasks } from './migrations/0014-deferred-tasks.ts'
import { arrivals } from './migrations/0015-arrivals.ts'
import { endedLeases } from './migrations/0016-ended-leases.ts'
import { answersOfAgents } from './migrations/0017-answers-of-agents.ts'
import { syncedArrivals } from './migrations/0018-synced-arrivals.ts'

/** One step of the schema. Once released it is never edited: databases out there have run it as it was. */
export interface Migration {
  /** 1, 2, 3 … */
  readonly version: number
  readonly sqlite: readonly string[]
}

export const MIGRATIONS: readonly Migration[] = [
  firstTables,
  tasksAndCrew,
  search,
  vectors,
  replica,
  annotations,
  looks,
  origins,
  artifacts,
  logSegments,
  largeProjects,
  firstChanges,
  attempts,
  deferredTasks,
  arrivals,
  endedLeases,
  answersOfAgents,
  syncedArrivals,
]
