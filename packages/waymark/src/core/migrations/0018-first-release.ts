import type { Migration } from '../store/migrations.ts'
import { AGENTS } from './first-release/0018-agents.ts'
import { ANNOTATIONS } from './first-release/0018-annotations.ts'
import { ARTIFACTS } from './first-release/0018-artifacts.ts'
import { ENTITIES } from './first-release/0018-entities.ts'
import { SEARCH } from './first-release/0018-search.ts'
import { SYNC } from './first-release/0018-sync.ts'
import { TASKS } from './first-release/0018-tasks.ts'

/** All tables of the first release. Versions 1 to 17 were never released, and stores that have one are refused. */
export const firstRelease: Migration = {
  version: 18,
  sqlite: [...ENTITIES, ...TASKS, ...AGENTS, ...SEARCH, ...SYNC, ...ANNOTATIONS, ...ARTIFACTS],
}
