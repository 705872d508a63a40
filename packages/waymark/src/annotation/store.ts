import { leafOf } from './anchor.ts'
import { type AnnotationRecord, isByLines } from './record.ts'
import type { Sql, SqlReader, SqlValue } from '../core/store/sql.ts'
import { parseStored } from '../core/store/stored-json.ts'
import { fromStoredRecord, type StoredRecord, toStoredRecord } from './notes/stored-record.ts'
import type { EntityId } from '../entity/entity-id.ts'
import { type CommitId, toCommitId } from '../git/history/commit-id.ts'

/**
 * Increment when the parsing of notes changes: all copies are then read again. Copies of notes that are no longer
 * readable stay in use, so a field that is added to records must be optional.
 */
const ANNOTATION_VERSION = 7

/** A record and the commit whose note contains it. */
export interface AnnotationRow {
  readonly ref: string
  readonly commit: CommitId
  readonly record: AnnotationRecord
}

type PlaceRole = 'region' | 'dependency' | 'cross_cutting'

export interface NoteCopy {
  readonly commit: CommitId
  /** Null when the note is gone. */
  readonly blob: string | null
  /** The blob is referenced but missing; it may be restored without a change of the notes ref. */
  readonly isMissing?: boolean
  /** The note could not be read: its earlier copy stays. */
  readonly isUnread?: boolean
  readonly records: readonly AnnotationRecord[]
  /** How many lines of it could not be read. */
  readonly unreadable: number
}

interface AnnotationCounts {
  readonly commits: number
  readonly records: number
  readonly unreadable: number
}

export interface UnreadNote {
  readonly ref: string
  readonly commit: CommitId
  readonly blob: string
}

interface PlaceQuery {
  readonly refs: readonly string[]
  readonly role: PlaceRole
  readonly paths: readonly string[]
}

/** What annotations can have in common with some lines of a file. */
interface LikelyQuery extends Pick<PlaceQuery, 'refs' | 'paths'> {
  /** Last parts of names. */
  readonly leaves: Iterable<string>
  readonly hashes?: Iterable<string>
  readonly commits?: Iterable<string>
}

interface ReplacedNote {
  readonly added: readonly AnnotationRecord[]
  readonly removed: readonly string[]
}

interface AnnotationEntry {
  readonly ref: string
  readonly commit_id: CommitId
  readonly record: string
}

/** Prefix of a missing blob, and of a tip with missing blobs, so that complete copies skip the retry query. */
const MISSING = '!'

/** Replaces the blob id of a note that an older version of this code copied. */
const OUTDATED = 'outdated'

function withoutMark(id: string): string {
  return id.startsWith(MISSING) ? id.slice(MISSING.length) : id
}

const COLUMNS = 'a.id, a.record_id, a.ref, a.commit_id, a.record'

export type AnnotationReader = ReturnType<typeof createAnnotationReader>

export function createAnnotationReader(sql: SqlReader) {
  // Nearly all annotations are of one ref: the unary plus keeps SQLite from going through them in the index of refs.
  const select = async (rest: string, values: readonly SqlValue[]): Promise<AnnotationRow[]> => {
    const entries = await sql.all<AnnotationEntry>(
      `SELECT DISTINCT ${COLUMNS} FROM annotation a ${rest}`,
      values,
    )
    return entries.map(toRow)
  }
  return {
    /** The commit of the notes ref that the copy is complete for; undefined if the copy is incomplete. */
    async tipOf(ref: string): Promise<CommitId | undefined> {
      const row = await sql.get<{ tip: string; version: number }>(
        'SELECT tip, version FROM annotation_source WHERE ref = ?',
        [ref],
      )
      return row === undefined || row.tip === '' || row.version !== ANNOTATION_VERSION
        ? undefined
        : toCommitId(withoutMark(row.tip))
    },

    /** The blob of each note that was copied, by commit. */
    async blobsOf(ref: string): Promise<ReadonlyMap<CommitId, string>> {
      const rows = await sql.all<{ commit_id: CommitId; blob: string }>(
        'SELECT commit_id, blob FROM annotation_note WHERE ref = ?',
        [ref],
      )
      return new Map(rows.map((row) => [row.commit_id, withoutMark(row.blob)]))
    },

    /** Those of them that were missing when they were copied. */
    async missingOf(ref: string): Promise<ReadonlyMap<CommitId, string>> {
      const rows = await sql.all<{ commit_id: CommitId; blob: string }>(
        `SELECT n.commit_id, n.blob FROM annotation_source s JOIN annotation_note n ON n.ref = s.ref
          WHERE s.ref = ? AND s.tip LIKE '${MISSING}%' AND n.blob LIKE '${MISSING}%'`,
        [ref],
      )
      return new Map(rows.map((row) => [row.commit_id, withoutMark(row.blob)]))
    },

    /** Annotations that have one of these files in the role. */
    async inFiles({ refs, role, paths }: PlaceQuery): Promise<AnnotationRow[]> {
      return await select(
        `JOIN annotation_place p ON p.annotation_id = a.id
          WHERE p.path IN (${marks(paths)}) AND p.role = ? AND +a.ref IN (${marks(refs)})`,
        [...paths, role, ...refs],
      )
    },

    /** Of the annotations of these files those with one of these names, contents or commits; and those of mere lines. */
    async likelyInFiles(query: LikelyQuery): Promise<AnnotationRow[]> {
      const { refs, paths, leaves, hashes = [], commits = [] } = query
      const list = (values: Iterable<string>) => JSON.stringify([...values])
      return await select(
        `JOIN annotation_place p ON p.annotation_id = a.id
          WHERE p.path IN (${marks(paths)}) AND p.role = 'region' AND +a.ref IN (${marks(refs)})
            AND (p.leaf IN (SELECT value FROM json_each(?))
              OR p.content_hash IN (SELECT value FROM json_each(?))
              OR a.commit_id IN (SELECT value FROM json_each(?)))`,
        [...paths, ...refs, list(['', ...leaves]), list(hashes), list(commits)],
      )
    },

    /** How many annotations have a region in one of these files. */
    async countInFiles({ refs, paths }: Pick<PlaceQuery, 'refs' | 'paths'>): Promise<number> {
      const row = await sql.get<{ count: number }>(
        `SELECT count(DISTINCT a.id) AS count FROM annotation a
          JOIN annotation_place p ON p.annotation_id = a.id
          WHERE p.path IN (${marks(paths)}) AND p.role = 'region' AND +a.ref IN (${marks(refs)})`,
        [...paths, ...refs],
      )
      return row?.count ?? 0
    },

    /** Every file that has an annotated region. */
    async files(refs: readonly string[]): Promise<string[]> {
      const rows = await sql.all<{ path: string }>(
        `SELECT DISTINCT p.path FROM annotation_place p JOIN annotation a ON a.id = p.annotation_id
          WHERE p.role = 'region' AND a.ref IN (${marks(refs)})`,
        refs,
      )
      return rows.map((row) => row.path)
    },

    /** The file with the region that was copied last; undefined if there is none. */
    async lastFile(): Promise<string | undefined> {
      const row = await sql.get<{ path: string }>(
        `SELECT path FROM annotation_place WHERE role = 'region'
          ORDER BY annotation_id DESC LIMIT 1`,
      )
      return row?.path
    },

    /** Annotations of a region that had exactly this content. */
    async byContent(refs: readonly string[], hashes: readonly string[]): Promise<AnnotationRow[]> {
      if (hashes.length === 0) return []
      return await select(
        `JOIN annotation_place p ON p.annotation_id = a.id
          WHERE p.content_hash IN (${marks(hashes)}) AND p.content_hash <> ''
            AND p.role = 'region' AND +a.ref IN (${marks(refs)})`,
        [...hashes, ...refs],
      )
    },

    async ofCommits(refs: readonly string[], commits: readonly string[]): Promise<AnnotationRow[]> {
      // One JSON parameter: the number of commits may exceed the limit of bound parameters.
      return await select(
        `WHERE a.ref IN (${marks(refs)}) AND a.commit_id IN (SELECT value FROM json_each(?))`,
        [...refs, JSON.stringify(commits)],
      )
    },

    async byRecord(refs: readonly string[], recordId: string): Promise<AnnotationRow[]> {
      return await select(`WHERE a.record_id = ? AND +a.ref IN (${marks(refs)})`, [
        recordId,
        ...refs,
      ])
    },

    /** The annotation, in whichever ref it is. */
    async anywhere(recordId: string): Promise<AnnotationRow[]> {
      return await select('WHERE a.record_id = ? LIMIT 1', [recordId])
    },

    /** Annotations that belong to an entity, the newest first. */
    async byLink(entityId: EntityId, limit: number): Promise<AnnotationRow[]> {
      return await select(
        `JOIN annotation_link l ON l.annotation_id = a.id WHERE l.entity_id = ?
          ORDER BY a.id DESC LIMIT ?`,
        [entityId, limit],
      )
    },

    /** Every annotated commit. */
    async commits(refs: readonly string[]): Promise<CommitId[]> {
      const rows = await sql.all<{ commit_id: CommitId }>(
        `SELECT DISTINCT commit_id FROM annotation WHERE ref IN (${marks(refs)})`,
        refs,
      )
      return rows.map((row) => row.commit_id)
    },

    /** All annotations, in the order of their commits' ids, from behind this one. */
    async after(
      ref: string,
      commit: CommitId | undefined,
      limit: number,
    ): Promise<AnnotationRow[]> {
      return await select(
        `WHERE a.ref = ? AND a.commit_id IN (
            SELECT DISTINCT commit_id FROM annotation WHERE ref = ? AND commit_id > ?
              ORDER BY commit_id LIMIT ?)
          ORDER BY a.commit_id, a.record_id`,
        [ref, ref, commit ?? '', limit],
      )
    },

    async counts(refs: readonly string[]): Promise<AnnotationCounts> {
      const records = await sql.get<{ commits: number; records: number }>(
        `SELECT count(DISTINCT commit_id) AS commits, count(*) AS records FROM annotation
          WHERE ref IN (${marks(refs)})`,
        refs,
      )
      const notes = await sql.get<{ unreadable: number }>(
        `SELECT coalesce(sum(unreadable), 0) AS unreadable FROM annotation_note
          WHERE ref IN (${marks(refs)})`,
        refs,
      )
      return { commits: 0, records: 0, ...records, unreadable: notes?.unreadable ?? 0 }
    },

    /** The notes refs that have a copy. */
    async refs(): Promise<string[]> {
      const rows = await sql.all<{ ref: string }>('SELECT ref FROM annotation_source ORDER BY ref')
      return rows.map(({ ref }) => ref)
    },

    /** The notes that were skipped, or read in part. */
    async unread(): Promise<readonly UnreadNote[]> {
      const rows = await sql.all<UnreadNote>(
        `SELECT ref, commit_id AS "commit", blob FROM annotation_note WHERE unreadable > 0
          ORDER BY ref, commit_id`,
      )
      return rows.map((row) => ({ ...row, blob: withoutMark(row.blob) }))
    },
  }
}

export function createAnnotations(sql: Sql) {
  const reader = createAnnotationReader(sql)
  return {
    ...reader,

    /** Replaces the copy of a note. Returns the new records, and those that are no longer in any note. */
    async replaceNote(
      ref: string,
      { commit, blob, isMissing = false, isUnread, records, unreadable }: NoteCopy,
    ): Promise<ReplacedNote> {
      if (isUnread === true && blob !== null) {
        await putNote(sql, { ref, commit, blob, isMissing, unreadable })
        return { added: [], removed: [] }
      }
      const before = await sql.all<{ id: number; record_id: string }>(
        'SELECT id, record_id FROM annotation WHERE ref = ? AND commit_id = ?',
        [ref, commit],
      )
      for (const { id } of before) {
        await sql.run('DELETE FROM annotation_place WHERE annotation_id = ?', [id])
        await sql.run('DELETE FROM annotation_link WHERE annotation_id = ?', [id])
      }
      await sql.run('DELETE FROM annotation WHERE ref = ? AND commit_id = ?', [ref, commit])
      await sql.run('DELETE FROM annotation_note WHERE ref = ? AND commit_id = ?', [ref, commit])
      const left = await missing(
        sql,
        before.map((row) => row.record_id),
      )
      const added = await missing(
        sql,
        records.map(({ id }) => id),
      )
      if (blob !== null) await putNote(sql, { ref, commit, blob, isMissing, unreadable })
      for (const record of records) await insert(sql, { ref, commit, record })
      const present = new Set(records.map(({ id }) => id))
      const known = new Set(before.map((row) => row.record_id))
      return {
        added: records.filter(({ id }) => added.has(id) && !known.has(id)),
        removed: [...left].filter((id) => !present.has(id)),
      }
    },

    /** Marks the copy as incomplete. Notes copied by an older version of this code will be read again. */
    async beginCopy(ref: string): Promise<void> {
      const source = await sql.get<{ version: number }>(
        'SELECT version FROM annotation_source WHERE ref = ?',
        [ref],
      )
      if (source !== undefined && source.version !== ANNOTATION_VERSION) {
        await sql.run('UPDATE annotation_note SET blob = ? WHERE ref = ?', [OUTDATED, ref])
      }
      await putTip(sql, ref, '')
    },

    /** Sets the commit of the notes ref that the copy is complete for. */
    async setTip(ref: string, tip: CommitId): Promise<void> {
      const missing = await sql.get(
        `SELECT 1 FROM annotation_note WHERE ref = ? AND blob LIKE '${MISSING}%' LIMIT 1`,
        [ref],
      )
      await putTip(sql, ref, missing === undefined ? tip : `${MISSING}${tip}`)
    },
  }
}

async function putTip(sql: Sql, ref: string, tip: string): Promise<void> {
  await sql.run(
    `INSERT INTO annotation_source (ref, tip, version) VALUES (?, ?, ?)
      ON CONFLICT (ref) DO UPDATE SET tip = excluded.tip, version = excluded.version`,
    [ref, tip, ANNOTATION_VERSION],
  )
}

interface CopiedNote {
  readonly ref: string
  readonly commit: CommitId
  readonly blob: string
  readonly isMissing: boolean
  readonly unreadable: number
}

async function putNote(
  sql: Sql,
  { ref, commit, blob, isMissing, unreadable }: CopiedNote,
): Promise<void> {
  await sql.run(
    `INSERT INTO annotation_note (ref, commit_id, blob, unreadable) VALUES (?, ?, ?, ?)
      ON CONFLICT (ref, commit_id) DO UPDATE SET blob = excluded.blob, unreadable = excluded.unreadable`,
    [ref, commit, isMissing ? `${MISSING}${blob}` : blob, unreadable],
  )
}

async function insert(sql: Sql, { ref, commit, record }: AnnotationRow): Promise<void> {
  const row = await sql.get<{ id: number }>(
    `INSERT INTO annotation (ref, commit_id, record_id, record) VALUES (?, ?, ?, ?) RETURNING id`,
    [ref, commit, record.id, toStoredRecord(record)],
  )
  for (const { role, path, leaf, hash } of placesOf(record)) {
    await sql.run(
      `INSERT INTO annotation_place (annotation_id, role, path, leaf, content_hash)
        VALUES (?, ?, ?, ?, ?)`,
      [row?.id ?? 0, role, path, leaf, hash],
    )
  }
  for (const entityId of new Set(record.links.map((link) => link.id))) {
    await sql.run('INSERT INTO annotation_link (entity_id, annotation_id) VALUES (?, ?)', [
      entityId,
      row?.id ?? 0,
    ])
  }
}

interface Place {
  readonly role: PlaceRole
  readonly path: string
  readonly leaf: string
  readonly hash: string
}

function placesOf({ regions, cross_cutting }: AnnotationRecord): readonly Place[] {
  const places = regions.flatMap((region): readonly Place[] => [
    {
      role: 'region',
      path: region.file,
      // Empty where the name is not decisive: every question about lines of the file has to look at these.
      leaf: isByLines(region) ? '' : leafOf(region.ast_anchor?.name ?? ''),
      hash: region.content_hash ?? '',
    },
    ...region.semantic_dependencies.map(({ file, anchor }): Place => {
      return { role: 'dependency', path: file, leaf: leafOf(anchor), hash: '' }
    }),
  ])
  const concerns = cross_cutting.flatMap((concern) =>
    concern.regions.map(({ file, anchor }): Place => {
      return { role: 'cross_cutting', path: file, leaf: leafOf(anchor ?? ''), hash: '' }
    }),
  )
  return [...places, ...concerns]
}

/** Which of these records are in no note. */
async function missing(sql: Sql, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const present = await sql.all<{ record_id: string }>(
    `SELECT DISTINCT record_id FROM annotation WHERE record_id IN (${marks(ids)})`,
    ids,
  )
  const known = new Set(present.map((row) => row.record_id))
  return new Set(ids.filter((id) => !known.has(id)))
}

function marks(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ')
}

function toRow({ ref, commit_id: commit, record }: AnnotationEntry): AnnotationRow {
  const stored = parseStored<StoredRecord>(record, `the note of ${commit}`)
  return { ref, commit, record: fromStoredRecord(stored) }
}
