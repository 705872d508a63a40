import type { Sql, SqlReader } from '../core/store/sql.ts'
import { parseStored } from '../core/store/stored-json.ts'

/** Something said before a commit that its annotation shall hold. */
export interface PendingNote {
  readonly id: number
  readonly worktree: string
  /** `context`: what the next commit is about. `note`: a remark on the way. `squash`: what it is made of. */
  readonly kind: 'context' | 'note' | 'squash'
  readonly content: Readonly<Record<string, unknown>>
  readonly at: number
  readonly author: string | null
}

export function createPendingNoteReader(sql: SqlReader) {
  return {
    /** Oldest first. */
    async of(worktree: string): Promise<PendingNote[]> {
      const rows = await sql.all<Omit<PendingNote, 'content'> & { content: string }>(
        `SELECT id, worktree, kind, content, at, author FROM pending_note
          WHERE worktree = ? ORDER BY id`,
        [worktree],
      )
      return rows.map((row) => ({
        ...row,
        content: parseStored<Record<string, unknown>>(row.content, `pending note ${row.id}`),
      }))
    },
  }
}

export function createPendingNotes(sql: Sql) {
  return {
    ...createPendingNoteReader(sql),

    async insert({ worktree, kind, content, at, author }: Omit<PendingNote, 'id'>): Promise<void> {
      await sql.run(
        'INSERT INTO pending_note (worktree, kind, content, at, author) VALUES (?, ?, ?, ?, ?)',
        [worktree, kind, JSON.stringify(content), at, author],
      )
    },

    /** Returns how many there were. */
    async remove(ids: readonly number[]): Promise<number> {
      if (ids.length === 0) return 0
      return await sql.run(
        `DELETE FROM pending_note WHERE id IN (${ids.map(() => '?').join(', ')})`,
        ids,
      )
    },

    /** Deletes all of them, including unreadable ones. Returns how many there were. */
    clear: (worktree: string): Promise<number> =>
      sql.run('DELETE FROM pending_note WHERE worktree = ?', [worktree]),
  }
}
