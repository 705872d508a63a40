import { type Sql, type SqlReader, type SqlValue, toIdRange } from '../core/store/sql.ts'
import { parseStored } from '../core/store/stored-json.ts'
import type { EntityId } from '../entity/entity-id.ts'

/** What is known of a content: who made it when, from what, and what it is for. */
export interface ArtifactRow {
  /** UUID, lower case, with hyphens. */
  readonly id: string
  /** The content. Several artifacts may have the same. */
  readonly hash: string
  readonly size: number
  readonly mime: string
  readonly name: string | null
  readonly creator: string | null
  readonly tags: readonly string[]
  /** The artifact it was made from. */
  readonly parentId: string | null
  /** What it is one of several attempts at, and which: 0, 1, 2 … */
  readonly variationSet: string | null
  readonly variationIndex: number | null
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** From then on, only visible as an ancestor. */
  readonly removedAt: number | null
}

type NewArtifact = Omit<ArtifactRow, 'variationIndex' | 'removedAt'>

interface ArtifactLink {
  readonly artifactId: string
  readonly type: string
  readonly entityId: EntityId
}

interface ArtifactFilter {
  readonly tag?: string | undefined
  readonly creator?: string | undefined
  readonly entityId?: EntityId | undefined
  readonly parentId?: string | undefined
  readonly variationSet?: string | undefined
  readonly hash?: string | undefined
  readonly limit: number
  readonly offset: number
}

/** One page, newest first, and how many match in all. */
interface ArtifactPage {
  readonly artifacts: ArtifactRow[]
  readonly total: number
}

interface Count {
  readonly name: string
  readonly count: number
}

const COLUMNS = `a.id, a.hash, a.size, a.mime, a.name, a.creator, a.parent_id AS "parentId",
  a.variation_set AS "variationSet", a.variation_index AS "variationIndex",
  a.created_at AS "createdAt", a.removed_at AS "removedAt",
  (SELECT json_group_array(tag) FROM (
    SELECT tag FROM artifact_tag WHERE artifact_id = a.id ORDER BY tag) AS sorted) AS tags`

type ArtifactRecord = Omit<ArtifactRow, 'tags'> & { readonly tags: string }

/** Longer chains are cut: a cycle in a damaged database must not loop forever. */
const LONGEST_CHAIN = 1000

/** Removed artifacts are invisible to every read but `ancestors`. */
export type ArtifactReader = ReturnType<typeof createArtifactReader>

export function createArtifactReader(sql: SqlReader) {
  return {
    /** At most `limit` artifacts whose id starts with these hex digits. */
    async byIdPrefix(prefix: string, limit: number): Promise<ArtifactRow[]> {
      const range = toIdRange(prefix)
      if (range === undefined) return []
      const records = await sql.all<ArtifactRecord>(
        `SELECT ${COLUMNS} FROM artifact AS a
          WHERE a.id >= ? AND a.id < ? AND a.removed_at IS NULL ORDER BY a.id LIMIT ?`,
        [...range, limit],
      )
      return records.map(toArtifact)
    },

    async list(filter: ArtifactFilter): Promise<ArtifactPage> {
      const { where, values } = toCondition(filter)
      const records = await sql.all<ArtifactRecord>(
        `SELECT ${COLUMNS} FROM artifact AS a WHERE ${where}
          ORDER BY a.position DESC LIMIT ? OFFSET ?`,
        [...values, filter.limit, filter.offset],
      )
      const count = await sql.get<{ total: number }>(
        `SELECT count(*) AS total FROM artifact AS a WHERE ${where}`,
        values,
      )
      return { artifacts: records.map(toArtifact), total: count?.total ?? 0 }
    },

    /** Where an artifact comes from: its first origin, then what was made from that, up to itself. */
    async ancestors(id: string): Promise<ArtifactRow[]> {
      const records = await sql.all<ArtifactRecord>(
        `WITH RECURSIVE chain (id, depth) AS (
            SELECT id, 0 FROM artifact WHERE id = ?
            UNION
            SELECT made.parent_id, chain.depth + 1 FROM chain
              JOIN artifact AS made ON made.id = chain.id
              WHERE made.parent_id IS NOT NULL AND chain.depth < ${LONGEST_CHAIN})
          SELECT ${COLUMNS} FROM chain JOIN artifact AS a ON a.id = chain.id
          ORDER BY chain.depth DESC`,
        [id],
      )
      return records.map(toArtifact)
    },

    /** Links to entities that exist. */
    linksOf: (artifactId: string): Promise<ArtifactLink[]> =>
      sql.all<ArtifactLink>(
        `SELECT l.artifact_id AS "artifactId", l.type, l.entity_id AS "entityId"
          FROM artifact_link AS l JOIN entity AS e ON e.id = l.entity_id
          WHERE l.artifact_id = ? AND e.deleted_at IS NULL ORDER BY l.created_at, e.number, l.type`,
        [artifactId],
      ),

    async totals(): Promise<{
      artifacts: number
      contents: number
      bytes: number
      variationSets: number
    }> {
      const row = await sql.get<{ artifacts: number; variationSets: number }>(
        `SELECT count(*) AS artifacts, count(DISTINCT variation_set) AS "variationSets"
          FROM artifact WHERE removed_at IS NULL`,
      )
      const contents = await sql.get<{ contents: number; bytes: number }>(
        `SELECT count(*) AS contents, coalesce(sum(size), 0) AS bytes
          FROM (SELECT DISTINCT hash, size FROM artifact WHERE removed_at IS NULL)`,
      )
      return { artifacts: 0, variationSets: 0, contents: 0, bytes: 0, ...row, ...contents }
    },

    /** How many artifacts there are by one of these, the most frequent first. */
    countBy: (what: 'tag' | 'mime' | 'creator', limit: number): Promise<Count[]> =>
      sql.all<Count>(
        what === 'tag'
          ? `SELECT t.tag AS name, count(*) AS count FROM artifact_tag AS t
              JOIN artifact AS a ON a.id = t.artifact_id WHERE a.removed_at IS NULL
              GROUP BY t.tag ORDER BY count DESC, name LIMIT ?`
          : `SELECT ${what} AS name, count(*) AS count FROM artifact
              WHERE removed_at IS NULL AND ${what} IS NOT NULL
              GROUP BY ${what} ORDER BY count DESC, name LIMIT ?`,
        [limit],
      ),

    /** The contents of artifacts, at most `limit` of those after this hash. */
    contentsAfter: (hash: string, limit: number): Promise<{ hash: string; size: number }[]> =>
      sql.all<{ hash: string; size: number }>(
        `SELECT DISTINCT hash, size FROM artifact
          WHERE hash > ? AND removed_at IS NULL ORDER BY hash LIMIT ?`,
        [hash, limit],
      ),

    /** Those of these contents that an artifact, an upload or a text with their `cas://` address needs. */
    async needed(hashes: readonly string[]): Promise<ReadonlySet<string>> {
      const rows = await sql.all<{ hash: string }>(
        // The texts with any such address first: there are few, and there may be many contents to ask for.
        `WITH texts AS MATERIALIZED (
            SELECT title || ' ' || body AS text FROM document
              WHERE instr(title, 'cas://') > 0 OR instr(body, 'cas://') > 0
            UNION ALL SELECT title || ' ' || coalesce(content, '') || ' ' || properties FROM entity
              WHERE deleted_at IS NULL AND (instr(title, 'cas://') > 0
                OR instr(content, 'cas://') > 0 OR instr(properties, 'cas://') > 0)
            UNION ALL SELECT body FROM message WHERE instr(body, 'cas://') > 0)
          SELECT value AS hash FROM json_each(?) AS wanted
          WHERE EXISTS (SELECT 1 FROM artifact WHERE hash = wanted.value AND removed_at IS NULL)
            OR EXISTS (SELECT 1 FROM artifact_upload WHERE hash = wanted.value)
            OR EXISTS (SELECT 1 FROM texts WHERE instr(text, 'cas://' || wanted.value) > 0)`,
        [JSON.stringify(hashes)],
      )
      return new Set(rows.map(({ hash }) => hash))
    },
  }
}

export function createArtifacts(sql: Sql) {
  const reader = createArtifactReader(sql)
  return {
    ...reader,

    async insert(artifact: NewArtifact): Promise<ArtifactRow> {
      const { variationSet } = artifact
      await sql.run(
        `INSERT INTO artifact (id, hash, size, mime, name, creator, parent_id, variation_set,
            variation_index, created_at)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, CASE WHEN CAST(? AS TEXT) IS NULL THEN NULL ELSE (
            SELECT coalesce(max(variation_index) + 1, 0) FROM artifact
              WHERE variation_set = ?) END, ?)`,
        [
          artifact.id,
          artifact.hash,
          artifact.size,
          artifact.mime,
          artifact.name,
          artifact.creator,
          artifact.parentId,
          variationSet,
          variationSet,
          variationSet,
          artifact.createdAt,
        ],
      )
      await insertTags(sql, artifact.id, artifact.tags)
      const record = await sql.get<ArtifactRecord>(
        `SELECT ${COLUMNS} FROM artifact AS a WHERE a.id = ?`,
        [artifact.id],
      )
      return toArtifact(record!)
    },

    async setTags(id: string, tags: readonly string[]): Promise<void> {
      await sql.run('DELETE FROM artifact_tag WHERE artifact_id = ?', [id])
      await insertTags(sql, id, tags)
    },

    /** False if there was such a link. */
    async link({ artifactId, type, entityId }: ArtifactLink, at: number): Promise<boolean> {
      const inserted = await sql.run(
        `INSERT INTO artifact_link (artifact_id, type, entity_id, created_at)
          VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        [artifactId, type, entityId, at],
      )
      return inserted > 0
    },

    /** False if there was none. */
    async unlink({ artifactId, type, entityId }: ArtifactLink): Promise<boolean> {
      const removed = await sql.run(
        'DELETE FROM artifact_link WHERE artifact_id = ? AND type = ? AND entity_id = ?',
        [artifactId, type, entityId],
      )
      return removed > 0
    },

    async remove(id: string, at: number): Promise<void> {
      await sql.run('UPDATE artifact SET removed_at = ? WHERE id = ? AND removed_at IS NULL', [
        at,
        id,
      ])
    },

    /** Protects a content from garbage collection until `endUpload`. */
    async beginUpload(id: string, hash: string, at: number): Promise<void> {
      await sql.run('INSERT INTO artifact_upload (id, hash, at) VALUES (?, ?, ?)', [id, hash, at])
    },

    /** False if it was forgotten meanwhile. */
    async endUpload(id: string): Promise<boolean> {
      return (await sql.run('DELETE FROM artifact_upload WHERE id = ?', [id])) > 0
    },

    /** Forgets what was begun before this time and never ended. */
    async forgetUploads(before: number): Promise<void> {
      await sql.run('DELETE FROM artifact_upload WHERE at < ?', [before])
    },
  }
}

async function insertTags(sql: Sql, id: string, tags: readonly string[]): Promise<void> {
  for (const tag of new Set(tags)) {
    await sql.run('INSERT INTO artifact_tag (artifact_id, tag) VALUES (?, ?)', [id, tag])
  }
}

function toCondition(filter: ArtifactFilter): { where: string; values: SqlValue[] } {
  const conditions = ['a.removed_at IS NULL']
  const values: SqlValue[] = []
  const require = (condition: string, value: string | undefined): void => {
    if (value === undefined) return
    conditions.push(condition)
    values.push(value)
  }
  require('a.id IN (SELECT artifact_id FROM artifact_tag WHERE tag = ?)', filter.tag)
  require('a.id IN (SELECT artifact_id FROM artifact_link WHERE entity_id = ?)', filter.entityId)
  require('a.creator = ?', filter.creator)
  require('a.parent_id = ?', filter.parentId)
  require('a.variation_set = ?', filter.variationSet)
  require('a.hash = ?', filter.hash)
  return { where: conditions.join(' AND '), values }
}

function toArtifact(record: ArtifactRecord): ArtifactRow {
  return { ...record, tags: parseStored<string[]>(record.tags, `artifact ${record.id}`) }
}
