import type { Sql, SqlReader } from '../../core/store/sql.ts'

/**
 * Increment when the parsing of notes changes: all copies are then read again. Copies of notes that are no longer
 * readable stay in use, so a field that is added to records must be optional.
 */
const ANNOTATION_VERSION = 4

/** Which notes have been copied from the notes refs. */
export interface NoteCopyReader {
  /** The commit of the notes ref that the copy is complete for; undefined if the copy is incomplete. */
  tipOf(ref: string): Promise<string | undefined>
  /** The blob of each note that was copied, by commit. */
  blobsOf(ref: string): Promise<ReadonlyMap<string, string>>
  /** Those of them that were missing when they were copied. */
  missingOf(ref: string): Promise<ReadonlyMap<string, string>>
  /** The notes refs that have a copy. */
  refs(): Promise<string[]>
  /** The notes that were skipped, or read in part. */
  unread(): Promise<readonly UnreadNote[]>
}

export interface NoteCopies extends NoteCopyReader {
  /** Marks the copy as incomplete. Notes copied by an older version of this code will be read again. */
  beginCopy(ref: string): Promise<void>
  /** Sets the commit of the notes ref that the copy is complete for. */
  setTip(ref: string, tip: string): Promise<void>
  putNote(note: CopiedNote): Promise<void>
}

export interface UnreadNote {
  readonly ref: string
  readonly commit: string
  readonly blob: string
}

interface CopiedNote {
  readonly ref: string
  readonly commit: string
  readonly blob: string
  readonly isMissing: boolean
  readonly unreadable: number
}

/** Prefix of a missing blob, and of a tip with missing blobs, so that complete copies skip the retry query. */
const MISSING = '!'

/** Replaces the blob id of a note that an older version of this code copied. */
const OUTDATED = 'outdated'

function withoutMark(id: string): string {
  return id.startsWith(MISSING) ? id.slice(MISSING.length) : id
}

export function createNoteCopyReader(sql: SqlReader): NoteCopyReader {
  return {
    async tipOf(ref) {
      const row = await sql.get<{ tip: string; version: number }>(
        'SELECT tip, version FROM annotation_source WHERE ref = ?',
        [ref],
      )
      return row === undefined || row.tip === '' || row.version !== ANNOTATION_VERSION
        ? undefined
        : withoutMark(row.tip)
    },

    async blobsOf(ref) {
      const rows = await sql.all<{ commit_id: string; blob: string }>(
        'SELECT commit_id, blob FROM annotation_note WHERE ref = ?',
        [ref],
      )
      return new Map(rows.map((row) => [row.commit_id, withoutMark(row.blob)]))
    },

    async missingOf(ref) {
      const rows = await sql.all<{ commit_id: string; blob: string }>(
        `SELECT n.commit_id, n.blob FROM annotation_source s JOIN annotation_note n ON n.ref = s.ref
          WHERE s.ref = ? AND s.tip LIKE '${MISSING}%' AND n.blob LIKE '${MISSING}%'`,
        [ref],
      )
      return new Map(rows.map((row) => [row.commit_id, withoutMark(row.blob)]))
    },

    async refs() {
      const rows = await sql.all<{ ref: string }>('SELECT ref FROM annotation_source ORDER BY ref')
      return rows.map(({ ref }) => ref)
    },

    async unread() {
      const rows = await sql.all<UnreadNote>(
        `SELECT ref, commit_id AS "commit", blob FROM annotation_note WHERE unreadable > 0
          ORDER BY ref, commit_id`,
      )
      return rows.map((row) => ({ ...row, blob: withoutMark(row.blob) }))
    },
  }
}

export function createNoteCopies(sql: Sql): NoteCopies {
  return {
    ...createNoteCopyReader(sql),

    async beginCopy(ref) {
      const source = await sql.get<{ version: number }>(
        'SELECT version FROM annotation_source WHERE ref = ?',
        [ref],
      )
      if (source !== undefined && source.version !== ANNOTATION_VERSION) {
        await sql.run('UPDATE annotation_note SET blob = ? WHERE ref = ?', [OUTDATED, ref])
      }
      await putTip(sql, ref, '')
    },

    async setTip(ref, tip) {
      const missing = await sql.get(
        `SELECT 1 FROM annotation_note WHERE ref = ? AND blob LIKE '${MISSING}%' LIMIT 1`,
        [ref],
      )
      await putTip(sql, ref, missing === undefined ? tip : `${MISSING}${tip}`)
    },

    async putNote({ ref, commit, blob, isMissing, unreadable }) {
      await sql.run(
        `INSERT INTO annotation_note (ref, commit_id, blob, unreadable) VALUES (?, ?, ?, ?)
        ON CONFLICT (ref, commit_id) DO UPDATE SET blob = excluded.blob, unreadable = excluded.unreadable`,
        [ref, commit, isMissing ? `${MISSING}${blob}` : blob, unreadable],
      )
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
