import type { Counters, SqlValue } from '../store/sql.ts'

/** A further counter: the smallest entity number above those that the counter has issued. */
const TAKEN = 'taken'

/** Sent after the lock statement, so its snapshot includes the commits that the lock waited for. */
export const READ_COUNTERS = `SELECT name, value FROM counter UNION ALL
  SELECT '${TAKEN}', min(number) FROM entity
    WHERE number > (SELECT value FROM counter WHERE name = 'entity')`

export const WRITE_COUNTERS = `INSERT INTO counter (name, value)
  SELECT key, CAST(value AS bigint) FROM json_each_text(CAST($1 AS json))
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`

export interface CounterRow {
  readonly name: string
  readonly value: number | null
}

interface State {
  /** As the table has them. */
  readonly stored: ReadonlyMap<string, number | null>
  readonly values: Map<string, number | null>
}

/** The table `counter` during a transaction that has the lock of its project. */
export class KeptCounters implements Counters {
  readonly #queue: () => Promise<readonly CounterRow[]>
  readonly #flush: () => void
  #loading: Promise<State> | undefined
  #state: State | undefined

  /** `queue` asks for the rows, and `flush` sends what is queued. */
  constructor(queue: () => Promise<readonly CounterRow[]>, flush: () => void) {
    this.#queue = queue
    this.#flush = flush
    this.#loading = this.#load()
  }

  async get(name: string): Promise<number | undefined> {
    const { values } = this.#state ?? (await this.#loaded())
    return values.get(name) ?? undefined
  }

  async set(name: string, value: number): Promise<void> {
    const { values } = this.#state ?? (await this.#loaded())
    values.set(name, value)
  }

  async next<N extends number>(name: string): Promise<N | undefined> {
    const { values } = this.#state ?? (await this.#loaded())
    const before = values.get(name) ?? undefined
    if (before === undefined) return undefined
    values.set(name, before + 1)
    return (before + 1) as N
  }

  async isTaken(number: number): Promise<boolean> {
    const taken = await this.get(TAKEN)
    return taken !== undefined && number >= taken
  }

  /** The values for `WRITE_COUNTERS`; undefined where the table has them all. */
  unsaved(): readonly SqlValue[] | undefined {
    if (this.#state === undefined) return undefined
    const { stored, values } = this.#state
    const changed = [...values].filter(([name, value]) => stored.get(name) !== value)
    if (changed.length === 0) return undefined
    this.#state = { stored: new Map(values), values }
    return [JSON.stringify(Object.fromEntries(changed))]
  }

  /** The table is written by a statement: it has to be read again. */
  forget(): void {
    this.#state = undefined
    this.#loading = undefined
  }

  /** Returns a function that restores the current values, for a rollback to a savepoint. */
  mark(): () => void {
    const before = this.#state && {
      stored: this.#state.stored,
      values: new Map(this.#state.values),
    }
    return () => {
      this.#state = before
      this.#loading = before && Promise.resolve(before)
    }
  }

  async #loaded(): Promise<State> {
    const loading = (this.#loading ??= this.#load())
    this.#flush()
    return await loading
  }

  #load(): Promise<State> {
    const loading = this.#queue().then((rows) => {
      const values = new Map(rows.map(({ name, value }) => [name, value]))
      const state = { stored: new Map(values), values }
      if (this.#loading === loading) this.#state = state
      return state
    })
    // The pipeline tells why it failed.
    loading.catch(() => {})
    return loading
  }
}
