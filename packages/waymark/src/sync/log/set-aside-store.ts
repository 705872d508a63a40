import type { Sql, SqlReader } from '../../core/store/sql.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** A log line, or a whole segment, that was not merged. */
export interface AsideLine {
  /** Of the line; of a segment the id of its blob. */
  readonly hash: string
  readonly entityId: EntityId | undefined
  /** Empty where it is not known which one has the line. */
  readonly segment: string
  readonly reason: string
  /** How many lines it stands for. */
  readonly lines: number
}

export function createSetAsideReader(sql: SqlReader) {
  const names = async (statement: string, values: readonly (number | string)[] = []) => {
    const rows = await sql.all<{ name: string }>(statement, values)
    return new Set(rows.map(({ name }) => name))
  }
  return {
    /** The first of them, by reason and hash. */
    async list(limit: number): Promise<AsideLine[]> {
      const rows = await sql.all<
        Omit<AsideLine, 'entityId'> & { readonly entityId: EntityId | null }
      >(
        `SELECT hash, entity_id AS entityId, segment, reason, lines FROM set_aside
          ORDER BY reason, hash LIMIT ?`,
        [limit],
      )
      return rows.map((row) => ({ ...row, entityId: row.entityId ?? undefined }))
    },

    /** How many lines they stand for, by reason. */
    async counts(): Promise<ReadonlyMap<string, number>> {
      const rows = await sql.all<{ reason: string; count: number }>(
        'SELECT reason, sum(lines) AS count FROM set_aside GROUP BY reason ORDER BY reason',
      )
      return new Map(rows.map(({ reason, count }) => [reason, count]))
    },

    /** Every segment that has some. */
    segments: (): Promise<ReadonlySet<string>> =>
      names('SELECT DISTINCT segment AS name FROM set_aside'),
    /** Blobs that were set aside as a whole, but for this reason. */
    blobs: (exceptReason = ''): Promise<ReadonlySet<string>> =>
      names('SELECT hash AS name FROM set_aside WHERE length(hash) > 32 AND reason <> ?', [
        exceptReason,
      ]),
    /** Segments to be read once more: an empty name stands for all. `acceptsUnsigned`: also those that were not signed. */
    due: (limits: number, acceptsUnsigned: boolean): Promise<ReadonlySet<string>> =>
      names(
        `SELECT DISTINCT segment AS name FROM set_aside
          WHERE limits < ? OR (? AND reason = 'unsigned')`,
        [limits, Number(acceptsUnsigned)],
      ),
  }
}

export function createSetAside(sql: Sql) {
  return {
    ...createSetAsideReader(sql),

    async put(
      lines: readonly AsideLine[],
      { at, limits }: { readonly at: number; readonly limits: number },
    ): Promise<void> {
      for (const { hash, entityId, segment, reason, lines: count } of lines) {
        await sql.run(
          `INSERT INTO set_aside (hash, entity_id, segment, reason, lines, limits, first_seen)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (hash) DO UPDATE SET segment = excluded.segment,
              reason = excluded.reason, limits = excluded.limits`,
          [hash, entityId ?? null, segment, reason, count, limits, at],
        )
      }
    },

    /** Removes the entries of these segments, which were read again, except for these lines. */
    async forget(segments: readonly string[], but: readonly string[]): Promise<void> {
      await sql.run(
        `DELETE FROM set_aside WHERE segment IN (SELECT value FROM json_each(?))
          AND hash NOT IN (SELECT value FROM json_each(?))`,
        [JSON.stringify(segments), JSON.stringify(but)],
      )
    },

    /** Removes entries of segments that are no longer in the log, and entries that a full search did not find. */
    async keepOnly(segments: readonly string[], limits: number): Promise<void> {
      await sql.run(
        `DELETE FROM set_aside WHERE segment NOT IN (SELECT value FROM json_each(?))
          AND (segment <> '' OR limits < ?)`,
        [JSON.stringify(segments), limits],
      )
    },

    /** Marks all entries for retry. */
    async retryAll(): Promise<void> {
      await sql.run('UPDATE set_aside SET limits = 0')
    },

    /** Marks for retry an entity's lines that exceeded the waiting limit. */
    async retryWaiting(entityId: EntityId): Promise<void> {
      await sql.run(`UPDATE set_aside SET limits = 0 WHERE entity_id = ? AND reason = 'waiting'`, [
        entityId,
      ])
    },
  }
}
