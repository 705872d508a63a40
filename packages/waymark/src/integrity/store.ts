import { COUNT_DELETION } from '../search/index/word-store.ts'
import { SQLITE_FULL_TEXT } from '../core/sqlite/full-text.ts'
import { countWrongKinds, recountKinds } from '../entity/count/store.ts'
import { COUNTED_NUMBER } from '../core/store/counters.ts'
import type { Sql, SqlReader } from '../core/store/sql.ts'
import { BLOCKED_BY, FACET_COLUMNS, FACETS } from '../task/index-store.ts'
import type { EntityId } from '../entity/entity-id.ts'
import type { CommitId } from '../git/history/commit-id.ts'

export interface UnreadableRow {
  readonly kind: 'event' | 'agent' | 'pending note' | 'answer'
  /** Its id; the operation of an answer. */
  readonly ref: string
}

/** What each counter has counted. */
const COUNTED = `
  SELECT 'entity' AS name, ${COUNTED_NUMBER} AS value
  UNION ALL SELECT 'event', coalesce((SELECT max(id) FROM event), 0)
  UNION ALL SELECT 'message', coalesce((SELECT max(id) FROM message), 0)
  UNION ALL SELECT 'document', coalesce((SELECT max(position) FROM document), 0)
  UNION ALL SELECT 'clock', 0
  UNION ALL SELECT 'search_index', 0
  UNION ALL SELECT 'event_horizon', 0`

const TASK_DIFFERS = `t.number <> e.number OR t.status IS DISTINCT FROM e.status
  OR t.key IS DISTINCT FROM e.properties ->> 'key'
  OR t.external_ref IS DISTINCT FROM e.properties ->> 'external_ref'
  OR t.task_type IS DISTINCT FROM e.properties ->> 'task_type'
  OR t.assignee IS DISTINCT FROM e.properties ->> 'assignee'
  OR CAST(t.priority AS TEXT) IS DISTINCT FROM CAST(e.properties ->> 'priority' AS TEXT)
  OR t.rank <> CAST(coalesce(e.properties ->> 'rank', '0') AS INTEGER)
  OR t.due IS DISTINCT FROM coalesce(e.properties ->> 'due_date', '9999-99-99')
  OR t.defer_until IS NOT NULL AND e.properties ->> 'defer_until' IS NULL
  OR t.defer_until IS NULL AND julianday(e.properties ->> 'defer_until') IS NOT NULL
  OR t.closed <> CASE WHEN e.status IN ('done', 'cancelled') THEN 1 ELSE 0 END
  OR t.resolved <> CASE WHEN e.status = 'cancelled' OR e.status = 'done'
    AND (CAST(coalesce(e.properties ->> 'needs_verification', '0') AS TEXT) IN ('0', 'false')
      OR e.properties ->> 'verified_at' IS NOT NULL) THEN 1 ELSE 0 END`

/** Consistency checks of redundant and derived data. */
export function createConsistencyReader(sql: SqlReader) {
  const fullText = sql.fullText ?? SQLITE_FULL_TEXT
  const ids = async (statement: string): Promise<EntityId[]> =>
    (await sql.all<{ id: EntityId }>(statement)).map(({ id }) => id)
  return {
    /** Entities with missing, wrong or stale entries in the search index or the task index. */
    indexErrors: (): Promise<EntityId[]> =>
      ids(`WITH live AS (SELECT id, type FROM entity WHERE deleted_at IS NULL),
          indexed AS (SELECT ref AS id FROM document
            WHERE kind = 'entity' AND title = '' AND body = '' AND tags = '[]')
        SELECT id FROM live WHERE id NOT IN (SELECT id FROM indexed)
        UNION SELECT ref FROM document WHERE kind = 'entity' AND ref NOT IN (SELECT id FROM live)
        UNION SELECT id FROM live WHERE type = 'task' AND id NOT IN (SELECT id FROM task)
        UNION SELECT id FROM task WHERE id NOT IN (SELECT id FROM live WHERE type = 'task')
        UNION SELECT t.id FROM task AS t JOIN entity AS e ON e.id = t.id
          WHERE json_valid(e.properties) AND (${TASK_DIFFERS})
        UNION SELECT id FROM task WHERE blocked <> ${BLOCKED_BY}
        UNION SELECT id FROM (SELECT ${FACET_COLUMNS} FROM (${FACETS}) AS f
          EXCEPT SELECT ${FACET_COLUMNS} FROM task_facet) AS missing
        UNION SELECT id FROM (SELECT ${FACET_COLUMNS} FROM task_facet
          EXCEPT SELECT ${FACET_COLUMNS} FROM (${FACETS}) AS f) AS stale
        UNION SELECT entity_id FROM (SELECT entity_id, tag FROM tag
          EXCEPT SELECT e.id, j.value FROM entity AS e, json_each(e.tags) AS j
            WHERE e.deleted_at IS NULL AND json_valid(e.tags))
        UNION SELECT id FROM (SELECT e.id, j.value FROM entity AS e, json_each(e.tags) AS j
            WHERE e.deleted_at IS NULL AND json_valid(e.tags)
          EXCEPT SELECT entity_id, tag FROM tag)
        ORDER BY id`),

    /** Ids of entities with a document or changes but without a row. Some only have missing dependencies. */
    rowless: (): Promise<EntityId[]> =>
      ids(`SELECT entity_id AS id FROM replica WHERE document IS NOT NULL
          AND entity_id NOT IN (SELECT id FROM entity)
        UNION SELECT entity_id FROM op WHERE entity_id NOT IN (SELECT id FROM entity)
        ORDER BY id`),

    /** Entities with a dangling edge of which only the ends are readable. */
    brokenEnds: (): Promise<EntityId[]> =>
      ids('SELECT DISTINCT source_id AS id FROM dangling WHERE NOT json_valid(value)'),

    /** Search documents without terms, and terms without documents. */
    async countUnsearchable(): Promise<number> {
      const row = await sql.get<{ count: number }>(
        `SELECT count(*) AS count FROM (
          SELECT id FROM document WHERE id NOT IN (${fullText.indexedIds})
          UNION ALL
          SELECT id FROM (${fullText.indexedIds}) AS indexed WHERE id NOT IN (SELECT id FROM document))`,
      )
      return row?.count ?? 0
    },

    /**
     * Broadcasts and artifacts that are missing from the search index, and unreadable index entries of anything but
     * entities.
     */
    unindexed: (): Promise<readonly { readonly kind: string; readonly ref: string }[]> =>
      sql.all(`SELECT 'message' AS kind, CAST(id AS TEXT) AS ref FROM message
          WHERE to_agent IS NULL
            AND CAST(id AS TEXT) NOT IN (SELECT ref FROM document WHERE kind = 'message')
        UNION ALL SELECT 'artifact', id FROM artifact
          WHERE removed_at IS NULL
            AND id NOT IN (SELECT ref FROM document WHERE kind = 'artifact')
        UNION ALL SELECT kind, ref FROM document WHERE kind <> 'entity' AND NOT json_valid(tags)`),

    /** Notes with an unreadable cache entry. */
    unreadableNotes: (): Promise<readonly { readonly ref: string; readonly commit: CommitId }[]> =>
      sql.all(`SELECT DISTINCT ref, commit_id AS "commit" FROM annotation
        WHERE NOT json_valid(record) ORDER BY ref, commit_id`),

    /** Unreadable rows without a second copy. */
    async unreadable(): Promise<readonly UnreadableRow[]> {
      const rows = await sql.all<UnreadableRow & { text: string }>(
        `SELECT 'event' AS kind, CAST(id AS TEXT) AS ref, data AS text FROM event
            WHERE NOT json_valid(data)
          UNION ALL SELECT 'agent', id, capabilities FROM agent WHERE NOT json_valid(capabilities)
          UNION ALL SELECT 'pending note', CAST(id AS TEXT), content FROM pending_note
            WHERE NOT json_valid(content)
          UNION ALL SELECT 'answer', operation, output FROM answer
            WHERE output <> '' AND NOT json_valid(output)`,
      )
      // JSON nested deeper than SQLite's limit is still readable.
      return rows.filter(({ text }) => !isJson(text)).map(({ kind, ref }) => ({ kind, ref }))
    },

    /** Broadcasts that differ from their indexed text. */
    alteredMessages: (): Promise<EntityId[]> =>
      ids(`SELECT d.ref AS id FROM document AS d JOIN message AS m ON m.id = CAST(d.ref AS INTEGER)
        WHERE d.kind = 'message' AND (d.body <> m.body OR d.author IS DISTINCT FROM m.from_agent
          OR d.status IS DISTINCT FROM m.severity OR d.created_at <> m.at
          OR m.subject IS NOT NULL AND d.title <> m.subject)
        ORDER BY m.id`),

    /** Rows that reference missing rows, by table. */
    dangling: (): Promise<readonly { readonly table: string; readonly count: number }[]> =>
      sql.all(
        `SELECT "table", count(*) AS count FROM pragma_foreign_key_check GROUP BY 1 ORDER BY 1`,
      ),

    /** Counters that are missing or would assign a number twice. */
    async wrongCounters(): Promise<string[]> {
      const rows = await sql.all<{ name: string }>(
        `SELECT c.name FROM (${COUNTED}) AS c LEFT JOIN counter AS k ON k.name = c.name
          WHERE k.value IS NULL OR k.value < c.value ORDER BY c.name`,
      )
      return rows.map(({ name }) => name)
    },

    /** Counters of entities that differ from what they count. */
    countWrongKinds: (): Promise<number> => countWrongKinds(sql),

    /** How many events and messages are gone from the middle of their order. */
    async countMissing(): Promise<{ readonly events: number; readonly messages: number }> {
      const row = await sql.get<{ events: number; messages: number }>(
        `WITH k AS (SELECT
            (SELECT value FROM counter WHERE name = 'event') AS event,
            (SELECT value FROM counter WHERE name = 'event_horizon') AS horizon,
            (SELECT value FROM counter WHERE name = 'message') AS message)
          SELECT
            max(0, coalesce(k.event - k.horizon, 0)
              - (SELECT count(*) FROM event WHERE id > k.horizon)) AS events,
            max(0, coalesce(k.message, 0) - (SELECT count(*) FROM message)) AS messages
          FROM k`,
      )
      return row ?? { events: 0, messages: 0 }
    },
  }
}

export function createConsistency(sql: Sql) {
  return {
    ...createConsistencyReader(sql),

    /** Advances every counter past the numbers in use. */
    async mendCounters(): Promise<void> {
      await sql.run(
        `INSERT INTO counter (name, value) SELECT name, value FROM (${COUNTED}) AS counted WHERE true
          ON CONFLICT (name) DO UPDATE SET value = max(counter.value, excluded.value)`,
      )
    },

    recountKinds: (): Promise<void> => recountKinds(sql),

    /** Empties the full-text index; everything has to be indexed again after that. */
    async emptyFullText(): Promise<void> {
      for (const statement of (sql.fullText ?? SQLITE_FULL_TEXT).clear) await sql.run(statement)
      await sql.run('DELETE FROM word')
      await sql.run(COUNT_DELETION)
      await sql.run(`UPDATE counter SET value = 0 WHERE name = 'search_index'`)
    },
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
