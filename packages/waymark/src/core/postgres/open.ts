import { Failure } from '../error.ts'
import type { StoreEngine } from '../store/store.ts'
import { PostgresDatabase } from './database.ts'
import { Pool } from './pool.ts'
import { migrateProject, type NewProject } from './schema.ts'

/** Only the environment says where the database is: it may hold a password, and a clone must not choose it. */
const DATABASE_VARIABLE = 'WAYMARK_DATABASE_URL'

/** The connections of this process, closed with the last project that uses them. */
interface SharedPool {
  readonly pool: Pool
  users: number
}

const pools = new Map<string, SharedPool>()

export async function createPostgresProject(url: string, project: NewProject): Promise<void> {
  await using pool = new Pool({ url })
  await migrateProject(pool, project)
}

export async function openPostgres(projectId: string): Promise<StoreEngine> {
  const url = process.env[DATABASE_VARIABLE] ?? ''
  if (url === '') {
    throw new Failure(
      'storage_unavailable',
      `this project is kept in PostgreSQL; set ${DATABASE_VARIABLE} to the address of its database`,
    )
  }
  const shared = pools.get(url) ?? { pool: new Pool({ url }), users: 0 }
  pools.set(url, shared)
  shared.users += 1
  const release = async (): Promise<void> => {
    shared.users -= 1
    if (shared.users > 0) return
    pools.delete(url)
    await shared.pool[Symbol.asyncDispose]()
  }
  try {
    return await PostgresDatabase.open({ pool: shared.pool, projectId, release })
  } catch (error) {
    await release()
    throw error
  }
}
