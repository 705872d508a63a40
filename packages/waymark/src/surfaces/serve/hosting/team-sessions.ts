import type { SessionStore } from '@waymark/baton/http'
import { openPostgresSessionStore, type SessionDatabase } from '@waymark/baton/node'
import { toFailure } from '../../../core/postgres/failures.ts'
import type { Pool } from '../../../core/postgres/pool.ts'
import { TEAM_SCHEMA } from '../../../team/names.ts'

/** Sessions of MCP clients with a project, which all replicas share; each endpoint has its own. */
export function openTeamSessions(
  pool: Pool,
  projectId: string,
  endpoint: string,
): Promise<SessionStore> {
  return openPostgresSessionStore({
    database: toSessionDatabase(pool),
    schema: TEAM_SCHEMA,
    endpoint: `${projectId} ${endpoint}`,
  })
}

function toSessionDatabase(pool: Pool): SessionDatabase {
  return {
    async query<Row extends object>(sql: string, values: readonly unknown[]) {
      try {
        const { rows } = await pool.use((client) => client.query<Row>(sql, [...values]))
        return rows
      } catch (error) {
        throw toFailure(error)
      }
    },
    signal: (topic) => pool.commits.notify(topic),
    watch: (topic, wake) => pool.commits.hear(topic, wake),
  }
}
