import type { Client, Pool } from '../core/postgres/pool.ts'
import { TEAM_SCHEMA as T } from './names.ts'

/** A content that a project uses. */
export interface ContentRef {
  readonly hash: string
  readonly size: number
  /** Whose objects it is one of: that of the project when it was added. */
  readonly organisationId: string
}

const COLUMNS = 'hash, size, organisation_id AS "organisationId"'

/** Which projects use which contents of the storage that their organisation shares. */
export class ContentRefs {
  readonly #pool: Pool
  readonly #projectId: string

  constructor(pool: Pool, projectId: string) {
    this.#pool = pool
    this.#projectId = projectId
  }

  async find(hash: string): Promise<ContentRef | undefined> {
    return (await this.list(hash))[0]
  }

  async list(hash?: string): Promise<readonly ContentRef[]> {
    const { rows } = await this.#pool.use((client) =>
      client.query<ContentRef>(
        `SELECT ${COLUMNS} FROM ${T}.content_ref
          WHERE project_id = $1 AND ($2::text IS NULL OR hash = $2) ORDER BY hash`,
        [this.#projectId, hash ?? null],
      ),
    )
    return rows
  }

  /** Adds the reference; `prepare` sees to it that the object is there, and no other project removes it meanwhile. */
  async add(
    { hash, size }: Pick<ContentRef, 'hash' | 'size'>,
    prepare: (organisationId: string) => Promise<void>,
  ): Promise<{ readonly isNew: boolean }> {
    return await this.#locked(hash, async (client) => {
      const known = await client.query<{ organisationId: string }>(
        `SELECT organisation_id AS "organisationId" FROM ${T}.content_ref
          WHERE project_id = $1 AND hash = $2`,
        [this.#projectId, hash],
      )
      const own = await client.query<{ organisationId: string }>(
        `SELECT organisation_id AS "organisationId" FROM ${T}.project WHERE id = $1`,
        [this.#projectId],
      )
      const organisationId = (known.rows[0] ?? own.rows[0])?.organisationId ?? ''
      await prepare(organisationId)
      const { rowCount } = await client.query(
        `INSERT INTO ${T}.content_ref (organisation_id, hash, project_id, size)
          VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
        [organisationId, hash, this.#projectId, size],
      )
      return { isNew: rowCount === 1 }
    })
  }

  /** Removes the reference; `erase` is called where it was the last one of the organisation. */
  async remove(hash: string, erase: (organisationId: string) => Promise<void>): Promise<boolean> {
    return await this.#locked(hash, async (client) => {
      const { rows } = await client.query<{ organisationId: string }>(
        `DELETE FROM ${T}.content_ref WHERE project_id = $1 AND hash = $2
          RETURNING organisation_id AS "organisationId"`,
        [this.#projectId, hash],
      )
      const [gone] = rows
      if (gone === undefined) return false
      const left = await client.query(
        `SELECT 1 FROM ${T}.content_ref WHERE organisation_id = $1 AND hash = $2 LIMIT 1`,
        [gone.organisationId, hash],
      )
      if (left.rows.length === 0) await erase(gone.organisationId)
      return true
    })
  }

  /** One at a time for each content, over all replicas. */
  async #locked<R>(hash: string, work: (client: Client) => Promise<R>): Promise<R> {
    return await this.#pool.use(async (client) => {
      await client.query('BEGIN')
      try {
        await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 20))', [hash])
        const result = await work(client)
        await client.query('COMMIT')
        return result
      } catch (error) {
        await client.query('ROLLBACK').catch(() => {})
        throw error
      }
    })
  }
}
