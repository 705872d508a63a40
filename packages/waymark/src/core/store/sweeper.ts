import { createSearchIndex } from '../../search/index/index-store.ts'
import { countUnswept } from './counters.ts'
import type { StoreEngine } from './store.ts'

/** Debounce: purges often come in series. */
const SHORTEST_DELAY_MS = 1000
/** A sweep takes a time that grows with the store; the delay to the next one is this multiple of it. */
const REST = 20

/**
 * Removes purged data from the files of the store. Deleting a row is not enough: its bytes stay in free pages and in
 * the write-ahead log, its words in the search index and in the list of spelling corrections. All of them are rewritten
 * after a short delay, at the exit of this process, or by the next process that writes.
 */
export class Sweeper {
  readonly #engine: StoreEngine
  #timer: NodeJS.Timeout | undefined
  #delay = SHORTEST_DELAY_MS
  #running: Promise<boolean> | undefined

  constructor(engine: StoreEngine) {
    this.#engine = engine
  }

  /** Schedules a sweep, because any write may have purged something. */
  wake(): void {
    this.#timer ??= setTimeout(() => void this.#try(), this.#delay).unref()
  }

  /** True when no purged data is left in the files; false when another process reads old pages. */
  async sweep(): Promise<boolean> {
    return await (this.#running ??= this.#sweep().finally(() => (this.#running = undefined)))
  }

  async close(): Promise<void> {
    const isAwake = this.#timer !== undefined
    clearTimeout(this.#timer)
    if (isAwake || this.#running !== undefined) await this.#try()
  }

  /** Runs in the background, so errors are dropped. The request stays recorded, and a check hits the same error. */
  async #try(): Promise<void> {
    this.#timer = undefined
    try {
      await this.sweep()
    } catch {
      // Retried with the next purge or process.
    }
  }

  async #sweep(): Promise<boolean> {
    const unswept = await countUnswept(this.#engine)
    if (unswept === 0) return true
    const start = performance.now()
    // A reader of old pages keeps them in the log, which would make the rest useless.
    if (!(await this.#engine.emptyLog())) return false
    await this.#forgetWords()
    if (!(await this.#engine.rewrite())) return false
    this.#delay = Math.max(SHORTEST_DELAY_MS, REST * (performance.now() - start))
    // Unless there was another purge in the meantime.
    await this.#engine.write((sql) =>
      sql.run(`UPDATE counter SET value = 0 WHERE name = 'unswept' AND value = ?`, [unswept]),
    )
    return (await countUnswept(this.#engine)) === 0
  }

  /** In slices with a transaction each: other writers come in between, and the event loop goes on. */
  async #forgetWords(): Promise<void> {
    for (let after: number | undefined = 0; after !== undefined;) {
      const from: number = after
      after = await this.#engine.write((sql) => createSearchIndex(sql).forgetWords(from))
      await nextTurn()
    }
    for (let isFirst = true, isLeft = true; isLeft; isFirst = false) {
      const begins = isFirst
      isLeft = await this.#engine.write((sql) => createSearchIndex(sql).eraseDeleted(begins))
      await nextTurn()
    }
  }
}

/** Not that of `node:timers/promises`, a module that opening a store need not load. */
async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
