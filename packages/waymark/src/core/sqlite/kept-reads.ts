import type { SqlValue } from '../store/sql.ts'
import { type Tables, tablesOf } from '../store/tables.ts'

/** Small tables that most writes read and few change: who calls, what it is to be told, and which clones there are. */
const KEPT_TABLES = [
  'agent',
  'agent_session',
  'lease_notice',
  'live_clone',
  'live_state',
  'project',
]

/** A statement with one of these finds rows that are many, or large. */
const LARGE_TABLES = ['document', 'entity', 'event', 'lease', 'live_lease', 'message', 'op', 'task']

const MOST_READS = 200

/** Far more than there are; statements with a list of values have one form for each length. */
const MOST_STATEMENTS = 2000

/** What a transaction needs to know of a statement. */
export interface Statement extends Tables {
  /** Its rows are kept. */
  readonly isKept: boolean
  readonly readsCounters: boolean
  readonly changesCounters: boolean
}

const statements = new Map<string, Statement>()

/** Statements are few, and each is run many times. */
export function toStatement(sql: string): Statement {
  const known = statements.get(sql)
  if (known !== undefined) return known
  const tables = tablesOf(sql)
  const { isRead, changes, names } = tables
  const has = (name: string): boolean => names.has(name)
  const statement = {
    ...tables,
    isKept: isRead && KEPT_TABLES.some(has) && !LARGE_TABLES.some(has),
    readsCounters: has('counter'),
    changesCounters: changes.includes('counter'),
  }
  if (statements.size >= MOST_STATEMENTS) statements.clear()
  statements.set(sql, statement)
  return statement
}

/** What one statement has found. */
interface Found {
  readonly names: Statement['names']
  readonly rowsByValues: Map<string, readonly unknown[]>
}

/** Rows that transactions have read. They are kept beyond a transaction only while no other connection commits. */
export class KeptReads {
  /** By statement and then by values: the text of a statement is long, and hashed once. */
  readonly #found = new Map<string, Found>()
  #count = 0
  /** The tables of these, and perhaps more. */
  readonly #tables = new Set<string>()

  /** The rows that a statement finds with these values: kept ones, or else what `ask` answers. */
  read<Row>(
    { sql, names }: { readonly sql: string; readonly names: Statement['names'] },
    values: readonly SqlValue[],
    ask: () => Row[],
  ): readonly Row[] {
    const key = JSON.stringify(values)
    const known = this.#found.get(sql)?.rowsByValues.get(key)
    // The same statement selects the same columns.
    if (known !== undefined) return known as readonly Row[]
    const rows = ask()
    if (this.#count >= MOST_READS) this.#clear()
    const found = this.#found.get(sql) ?? { names, rowsByValues: new Map() }
    this.#found.set(sql, found)
    found.rowsByValues.set(key, rows)
    this.#count += 1
    for (const name of names) this.#tables.add(name)
    return rows
  }

  /** Forgets what a statement changes, which is everything where it does not name a table. */
  forget(changes: readonly string[] = []): void {
    if (changes.length === 0) return this.#clear()
    if (!changes.some((table) => this.#tables.has(table))) return
    for (const [sql, { names, rowsByValues }] of this.#found) {
      if (!changes.some((table) => names.has(table))) continue
      this.#found.delete(sql)
      this.#count -= rowsByValues.size
    }
  }

  #clear(): void {
    this.#found.clear()
    this.#count = 0
    this.#tables.clear()
  }
}
