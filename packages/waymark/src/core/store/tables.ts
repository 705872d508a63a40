/** The tables of a statement. */
export interface Tables {
  /** It changes nothing. */
  readonly isRead: boolean
  /** Those that it changes. */
  readonly changes: readonly string[]
  /** All its names: those of the tables that it looks into, and others. */
  readonly names: ReadonlySet<string>
}

const CHANGED = /\b(?:INSERT INTO|UPDATE(?!\s+SET\b)|DELETE FROM)\s+([a-z_]+)/g
const READ = /^\s*(?:SELECT|WITH)\b(?!.*\bnextval\b)/s

export function tablesOf(sql: string): Tables {
  const changes = [...sql.matchAll(CHANGED)].map(([, table = '']) => table)
  const isRead = changes.length === 0 && READ.test(sql)
  return { isRead, changes, names: new Set(sql.match(/\b[a-z_]+\b/g)) }
}
