import type { Connection } from '@waymark/sqlite'
import type { Counters } from '../store/sql.ts'

/**
 * The table `counter` in memory: read once as long as no other connection commits, and written at the end of each job
 * that counted, with one statement for all that it counted.
 */
export class KeptCounters implements Counters {
  readonly #connection: Connection
  /** Throws outside of a job. */
  readonly #assertOpen: () => void
  #values: Map<string, number> | undefined
  /** Names whose value the table does not have yet. */
  #unsaved = new Set<string>()

  constructor(connection: Connection, assertOpen: () => void) {
    this.#connection = connection
    this.#assertOpen = assertOpen
  }

  async get(name: string): Promise<number | undefined> {
    return this.#loaded().get(name)
  }

  async set(name: string, value: number): Promise<void> {
    this.#put(name, value)
  }

  async next<N extends number>(name: string): Promise<N | undefined> {
    const before = this.#loaded().get(name)
    if (before === undefined) return undefined
    this.#put(name, before + 1)
    return (before + 1) as N
  }

  async isTaken(number: number): Promise<boolean> {
    this.#assertOpen()
    return this.#connection.get('SELECT 1 FROM entity WHERE number = ?', number) !== undefined
  }

  /** Writes what the table does not have yet. */
  save(): void {
    if (this.#unsaved.size === 0) return
    this.#assertOpen()
    const values = [...this.#unsaved].flatMap((name) => [name, this.#values?.get(name) ?? 0])
    this.#connection.run(toUpsert(this.#unsaved.size), ...values)
    this.#unsaved = new Set()
  }

  /** The table was written: it has to be read again. */
  forget(): void {
    this.#values = undefined
    this.#unsaved = new Set()
  }

  #put(name: string, value: number): void {
    const values = this.#loaded()
    if (values.get(name) === value) return
    values.set(name, value)
    this.#unsaved.add(name)
  }

  #loaded(): Map<string, number> {
    this.#assertOpen()
    this.#values ??= new Map(
      this.#connection
        .all<{ name: string; value: number }>('SELECT name, value FROM counter')
        .map(({ name, value }) => [name, value]),
    )
    return this.#values
  }
}

/** By the number of counters, so that the same text is prepared once. */
const upserts: string[] = []

/** An update of several rows with a value each takes four times as long. */
function toUpsert(count: number): string {
  return (upserts[count] ??=
    `INSERT INTO counter (name, value) VALUES (?, ?)${', (?, ?)'.repeat(count - 1)}
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`)
}
