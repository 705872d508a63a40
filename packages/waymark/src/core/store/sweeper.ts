import { createSearchIndex } from '../../search/index-store.ts'
import type { Sql, SqlReader } from './sql.ts'
import type { StoreEngine } from './store.ts'

/** Whoever purges one thing often purges the next one right after it. */
const SHORTEST_DELAY_MS = 1000
/** It takes as long as the store is large and everybody who writes waits for it, so it is done that much less often. */
const REST = 20

/** Writes down, in the transaction that purges, that what it deletes has to leave the files too. */
export async function askForSweep(sql: Sql): Promise<void> {
  await sql.run(
    `INSERT INTO counter (name, value) VALUES ('unswept', 1)
      ON CONFLICT (name) DO UPDATE SET value = value + 1`,
  )
}

/** How many purges have left something in the files. */
export async function countUnswept(sql: SqlReader): Promise<number> {
  const row = await sql.get<{ value: number }>(`SELECT value FROM counter WHERE name = 'unswept'`)
  return row?.value ?? 0
}

/**
 * Takes what was purged out of the files of the store. To delete a row is not enough: its bytes stay in unused parts
 * of the database and in the log, its words in the search index and in the list that corrects misspelt searches. All
 * of that is written anew a moment later, or at the end of this process, or by the next one that writes.
 */
export class Sweeper {
  readonly #engine: StoreEngine
  #timer: NodeJS.Timeout | undefined
  #delay = SHORTEST_DELAY_MS
  #running: Promise<boolean> | undefined

  constructor(engine: StoreEngine) {
    this.#engine = engine
  }

  /** Something was purged: sweep soon. */
  wake(): void {
    this.#timer ??= setTimeout(() => void this.#try(), this.#delay).unref()
  }

  /** True when nothing of what was purged is left in the files; false when others are reading it. */
  async sweep(): Promise<boolean> {
    return await (this.#running ??= this.#sweep().finally(() => (this.#running = undefined)))
  }

  async close(): Promise<void> {
    const isAwake = this.#timer !== undefined
    clearTimeout(this.#timer)
    if (isAwake || this.#running !== undefined) await this.#try()
  }

  /** Nobody waits for it who could be told of a failure. It stays written down, and a check meets the same failure. */
  async #try(): Promise<void> {
    this.#timer = undefined
    try {
      await this.sweep()
    } catch {
      // Next time.
    }
  }

  async #sweep(): Promise<boolean> {
    const unswept = await countUnswept(this.#engine)
    if (unswept === 0) return true
    const start = performance.now()
    // Somebody who still reads the old pages would keep them in the log: then all the rest would be in vain.
    if (!(await this.#engine.emptyLog())) return false
    await this.#engine.write(async (sql) => createSearchIndex(sql).forgetUnused())
    if (!(await this.#engine.rewrite())) return false
    this.#delay = Math.max(SHORTEST_DELAY_MS, REST * (performance.now() - start))
    // Not when something else was purged meanwhile.
    await this.#engine.write((sql) =>
      sql.run(`UPDATE counter SET value = 0 WHERE name = 'unswept' AND value = ?`, [unswept]),
    )
    return (await countUnswept(this.#engine)) === 0
  }
}
