import { Failure } from '../error.ts'
import type { StoreEngine } from '../store/store.ts'
import { PostgresDatabase } from './database.ts'
import { Pool } from './pool.ts'
import { migrateProject, type NewProject } from './schema/schema.ts'

/** Only the environment says where the database is: it may hold a password, and a clone must not choose it. */
const DATABASE_VARIABLE = 'WAYMARK_DATABASE_URL'

/** The connections of this process to a database, shared by all that use them and closed with the last. */
export interface SharedPool extends AsyncDisposable {
  readonly pool: Pool
}

const DEFAULT_CONNECTIONS = 10

const pools = new Map<string, { readonly pool: Pool; users: number }>()

export function openPool(
  url: string,
  connections = Number(process.env['WAYMARK_DATABASE_CONNECTIONS']) || DEFAULT_CONNECTIONS,
): SharedPool {
  const shared = pools.get(url) ?? { pool: new Pool({ url, connections }), users: 0 }
  pools.set(url, shared)
  shared.users += 1
  return {
    pool: shared.pool,
    async [Symbol.asyncDispose]() {
      shared.users -= 1
      if (shared.users > 0) return
      pools.delete(url)
      await shared.pool[Symbol.asyncDispose]()
    },
  }
}

export async function createPostgresProject(url: string, project: NewProject): Promise<void> {
  await using shared = openPool(url)
  await migrateProject(shared.pool, project)
}

export async function openPostgres(
  projectId: string,
  url: string = process.env[DATABASE_VARIABLE] ?? '',
): Promise<StoreEngine> {
  if (url === '') {
    throw new Failure(
      'storage_unavailable',
      `this project is kept in PostgreSQL; set ${DATABASE_VARIABLE} to the address of its database`,
    )
  }
  const shared = openPool(url)
  const release = async () => await shared[Symbol.asyncDispose]()
  try {
    return await PostgresDatabase.open({ pool: shared.pool, projectId, release })
  } catch (error) {
    await release()
    throw error
  }
}
