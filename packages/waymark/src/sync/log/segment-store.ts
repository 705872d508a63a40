import type { Sql, SqlReader } from '../../core/store/sql.ts'

/** Who signed the commit of a segment: this clone, or another. */
export type SegmentSigner = 'own' | 'other'

/** Files of the log that this clone knows. */
export interface SegmentReader {
  /** Which of these files of the log have been read. */
  knownSegments(): Promise<ReadonlySet<string>>
  /** Those that were in the log when it was last written. */
  loggedSegments(): Promise<ReadonlySet<string>>
  /** Those whose commits are signed. */
  signedSegments(): Promise<ReadonlyMap<string, SegmentSigner>>
}

export interface Segments extends SegmentReader {
  addSegments(names: readonly string[], signer?: SegmentSigner): Promise<void>
  /** Of the known segments, these are in the log and no others. */
  setLoggedSegments(names: readonly string[]): Promise<void>
}

export function createSegmentReader(sql: SqlReader): SegmentReader {
  const segments = async (where: string): Promise<ReadonlySet<string>> => {
    const rows = await sql.all<{ name: string }>(`SELECT name FROM segment WHERE ${where}`)
    return new Set(rows.map(({ name }) => name))
  }
  return {
    knownSegments: () => segments('TRUE'),
    loggedSegments: () => segments('in_log = 1'),

    async signedSegments() {
      const rows = await sql.all<{ name: string; signer: SegmentSigner }>(
        'SELECT name, signer FROM segment WHERE signer IS NOT NULL',
      )
      return new Map(rows.map(({ name, signer }) => [name, signer]))
    },
  }
}

export function createSegments(sql: Sql): Segments {
  return {
    ...createSegmentReader(sql),

    async addSegments(names, signer) {
      for (const name of names) {
        await sql.run('INSERT OR IGNORE INTO segment (name, signer) VALUES (?, ?)', [
          name,
          signer ?? null,
        ])
      }
    },

    async setLoggedSegments(names) {
      await sql.run(
        `UPDATE segment SET in_log = NOT in_log
          WHERE in_log <> (name IN (SELECT value FROM json_each(?)))`,
        [JSON.stringify(names)],
      )
    },
  }
}
