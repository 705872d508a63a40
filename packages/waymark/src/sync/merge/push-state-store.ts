import type { Sql, SqlReader } from '../../core/store/sql.ts'

/** What is known of the last exchanges with remotes. */
export interface PushState {
  /** Entities written to the log since the last push that succeeded. */
  readonly unpushed: number
  /** Why the last push was refused, in a sentence; null if it was not. */
  readonly refusal: string | null
  /** A remote has, or had, the log of this clone. */
  readonly isShared: boolean
}

const NEVER: PushState = { unpushed: 0, refusal: null, isShared: false }

export function createPushStateReader(sql: SqlReader) {
  return {
    async get(): Promise<PushState> {
      const row = await sql.get<{ unpushed: number; refusal: string | null; shared: number }>(
        'SELECT unpushed, refusal, shared FROM push_state',
      )
      return row === undefined ? NEVER : { ...row, isShared: row.shared === 1 }
    },
  }
}

export function createPushState(sql: Sql) {
  const reader = createPushStateReader(sql)
  return {
    ...reader,

    async set(changes: Partial<PushState>): Promise<void> {
      const { unpushed, refusal, isShared } = { ...(await reader.get()), ...changes }
      await sql.run(
        `INSERT INTO push_state (id, unpushed, refusal, shared) VALUES (1, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET unpushed = excluded.unpushed, refusal = excluded.refusal,
            shared = excluded.shared`,
        [unpushed, refusal, Number(isShared)],
      )
    },
  }
}
