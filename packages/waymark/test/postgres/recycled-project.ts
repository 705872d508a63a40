import { randomUUID } from 'node:crypto'
import { type Client, Pool } from '../../src/core/postgres/pool.ts'
import { migrateProject, schemaOf } from '../../src/core/postgres/schema/schema.ts'

/** An empty project in PostgreSQL. */
export interface RecycledProject {
  readonly projectId: string
  /** Empties it for the next test. */
  readonly recycle: () => Promise<void>
}

const unused: RecycledProject[] = []

/** Creating tables is slow, so projects are used again by the tests of a worker. */
export async function takeProject(url: string): Promise<RecycledProject> {
  return unused.pop() ?? (await createProject(url))
}

async function createProject(url: string): Promise<RecycledProject> {
  const projectId = randomUUID()
  await using pool = new Pool({ url })
  await migrateProject(pool, { projectId, createdAt: 0 })
  const reset = await pool.use((client) => describeReset(client, schemaOf(projectId)))
  const project: RecycledProject = {
    projectId,
    recycle: async () => {
      await connectionTo(url).use((client) => client.query(reset))
      unused.push(project)
    },
  }
  return project
}

const connections = new Map<string, Pool>()

/** Stays open: a new connection would first read from the catalog what each table is. */
function connectionTo(url: string): Pool {
  const known = connections.get(url) ?? new Pool({ url, connections: 1 })
  connections.set(url, known)
  return known
}

/** Statements that bring the tables back to their first state. */
async function describeReset(client: Client, schema: string): Promise<string> {
  const { rows: tables } = await client.query<{ name: string; sequence: string | null }>(
    `SELECT tablename AS name, pg_get_serial_sequence(format('%I.%I', schemaname, tablename),
        column_name) AS sequence
      FROM pg_tables LEFT JOIN information_schema.columns
        ON table_schema = schemaname AND table_name = tablename AND is_identity = 'YES'
      WHERE schemaname = $1 AND tablename <> 'project'`,
    [schema],
  )
  const { rows: counters } = await client.query<{ name: string; value: number }>(
    `SELECT name, value FROM "${schema}".counter`,
  )
  const values = counters.map(({ name, value }) => `('${name}', ${value})`).join(', ')
  return [
    'BEGIN',
    // No foreign keys are checked meanwhile.
    'SET LOCAL session_replication_role = replica',
    ...tables.map(({ name }) => `DELETE FROM "${schema}"."${name}"`),
    ...tables.flatMap(({ sequence }) =>
      sequence === null ? [] : [`SELECT setval('${sequence}', 1, false)`],
    ),
    `INSERT INTO "${schema}".counter (name, value) VALUES ${values}`,
    'COMMIT',
  ].join(';\n')
}
