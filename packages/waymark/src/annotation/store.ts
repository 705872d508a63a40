import { leafOf } from './anchor.ts'
import {
  createNoteCopies,
  createNoteCopyReader,
  type NoteCopies,
  type NoteCopyReader,
} from './notes/copy-store.ts'
import type { AnnotationRecord } from './record.ts'
import type { Sql, SqlReader, SqlValue } from '../core/store/sql.ts'
import { parseStored } from '../core/store/stored-json.ts'

/** A record and the commit whose note contains it. */
export interface AnnotationRow {
  readonly ref: string
  readonly commit: string
  readonly record: AnnotationRecord
}

type PlaceRole = 'region' | 'dependency' | 'cross_cutting'

export interface NoteCopy {
  readonly commit: string
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

export interface AnnotationReader extends NoteCopyReader {
  /** Annotations that have one of these files in the role; only those with this leaf of a name when given. */
  inFiles(query: PlaceQuery): Promise<AnnotationRow[]>
  /** Every file that has an annotated region. */
  files(refs: readonly string[]): Promise<string[]>
  /** Annotations of a region that had exactly this content. */
  byContent(refs: readonly string[], hashes: readonly string[]): Promise<AnnotationRow[]>
  ofCommits(refs: readonly string[], commits: readonly string[]): Promise<AnnotationRow[]>
  byRecord(refs: readonly string[], recordId: string): Promise<AnnotationRow[]>
  /** The annotation, in whichever ref it is. */
  anywhere(recordId: string): Promise<AnnotationRow[]>
  /** Annotations that belong to an entity, the newest first. */
  byLink(entityId: string, limit: number): Promise<AnnotationRow[]>
  /** Every annotated commit. */
  commits(refs: readonly string[]): Promise<string[]>
  /** All annotations, in the order of their commits' ids, from behind this one. */
  after(ref: string, commit: string, limit: number): Promise<AnnotationRow[]>
  counts(refs: readonly string[]): Promise<AnnotationCounts>
}

interface PlaceQuery {
  readonly refs: readonly string[]
  readonly role: PlaceRole
  readonly paths: readonly string[]
  readonly leaf?: string | undefined
}

export interface Annotations extends AnnotationReader, NoteCopies {
  /** Replaces the copy of a note. Returns the new records, and those that are no longer in any note. */
  replaceNote(ref: string, note: NoteCopy): Promise<ReplacedNote>
}

interface ReplacedNote {
  readonly added: readonly AnnotationRecord[]
  readonly removed: readonly string[]
}

interface AnnotationEntry {
  readonly ref: string
  readonly commit_id: string
  readonly record: string
}

const COLUMNS = 'a.ref, a.commit_id, a.record'

export function createAnnotationReader(sql: SqlReader): AnnotationReader {
  const select = async (rest: string, values: readonly SqlValue[]): Promise<AnnotationRow[]> => {
    const entries = await sql.all<AnnotationEntry>(
      `SELECT DISTINCT ${COLUMNS} FROM annotation a ${rest}`,
      values,
    )
    return entries.map(toRow)
  }
  return {
    ...createNoteCopyReader(sql),

    async inFiles({ refs, role, paths, leaf }) {
      const named = leaf === undefined ? '' : 'AND p.leaf = ?'
      return await select(
        `JOIN annotation_place p ON p.annotation_id = a.id
          WHERE p.path IN (${marks(paths)}) AND p.role = ? ${named} AND a.ref IN (${marks(refs)})`,
        [...paths, role, ...(leaf === undefined ? [] : [leaf]), ...refs],
      )
    },

    async files(refs) {
      const rows = await sql.all<{ path: string }>(
        `SELECT DISTINCT p.path FROM annotation_place p JOIN annotation a ON a.id = p.annotation_id
          WHERE p.role = 'region' AND a.ref IN (${marks(refs)})`,
        refs,
      )
      return rows.map((row) => row.path)
    },

    async byContent(refs, hashes) {
      if (hashes.length === 0) return []
      return await select(
        `JOIN annotation_place p ON p.annotation_id = a.id
          WHERE p.content_hash IN (${marks(hashes)}) AND p.content_hash <> ''
            AND p.role = 'region' AND a.ref IN (${marks(refs)})`,
        [...hashes, ...refs],
      )
    },

    async ofCommits(refs, commits) {
      // One JSON parameter: the number of commits may exceed the limit of bound parameters.
      return await select(
        `WHERE a.commit_id IN (SELECT value FROM json_each(?)) AND a.ref IN (${marks(refs)})`,
        [JSON.stringify(commits), ...refs],
      )
    },

    async byRecord(refs, recordId) {
      return await select(`WHERE a.record_id = ? AND a.ref IN (${marks(refs)})`, [
        recordId,
        ...refs,
      ])
    },

    async anywhere(recordId) {
      return await select('WHERE a.record_id = ? LIMIT 1', [recordId])
    },

    async byLink(entityId, limit) {
      return await select(
        `JOIN annotation_link l ON l.annotation_id = a.id WHERE l.entity_id = ?
          ORDER BY a.id DESC LIMIT ?`,
        [entityId, limit],
      )
    },

    async commits(refs) {
      const rows = await sql.all<{ commit_id: string }>(
        `SELECT DISTINCT commit_id FROM annotation WHERE ref IN (${marks(refs)})`,
        refs,
      )
      return rows.map((row) => row.commit_id)
    },

    async after(ref, commit, limit) {
      return await select(
        `WHERE a.ref = ? AND a.commit_id IN (
            SELECT DISTINCT commit_id FROM annotation WHERE ref = ? AND commit_id > ?
              ORDER BY commit_id LIMIT ?)
          ORDER BY a.commit_id, a.record_id`,
        [ref, ref, commit, limit],
      )
    },

    async counts(refs) {
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
  }
}

export function createAnnotations(sql: Sql): Annotations {
  const copies = createNoteCopies(sql)
  return {
    ...createAnnotationReader(sql),
    ...copies,

    async replaceNote(ref, { commit, blob, isMissing = false, isUnread, records, unreadable }) {
      if (isUnread === true && blob !== null) {
        await copies.putNote({ ref, commit, blob, isMissing, unreadable })
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
      if (blob !== null) await copies.putNote({ ref, commit, blob, isMissing, unreadable })
      for (const record of records) await insert(sql, { ref, commit, record })
      const present = new Set(records.map(({ id }) => id))
      const known = new Set(before.map((row) => row.record_id))
      return {
        added: records.filter(({ id }) => added.has(id) && !known.has(id)),
        removed: [...left].filter((id) => !present.has(id)),
      }
    },
  }
}

async function insert(sql: Sql, { ref, commit, record }: AnnotationRow): Promise<void> {
  const row = await sql.get<{ id: number }>(
    `INSERT INTO annotation (ref, commit_id, record_id, record) VALUES (?, ?, ?, ?) RETURNING id`,
    [ref, commit, record.id, JSON.stringify(record)],
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
      leaf: leafOf(region.ast_anchor?.name ?? ''),
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
  return { ref, commit, record: parseStored<AnnotationRecord>(record, `the note of ${commit}`) }
}
