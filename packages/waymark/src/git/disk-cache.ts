import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile } from '../support/files/regular-file.ts'
import { isFields } from '../support/json-shape.ts'

const MOST_FILES = 4_000
const LARGEST_FILE = 64 * 1024 * 1024

/**
 * A best-effort cache shared between processes. Entries can always be recomputed, so writes are not synced and errors are
 * ignored.
 */
export class DiskCache implements AsyncDisposable {
  readonly #folder: string
  readonly #isReadOnly: boolean
  readonly #underWay = new Set<Promise<void>>()
  #pruned = false

  /** Where it is read-only, entries of other processes are used and none is written. */
  constructor(folder: string, { isReadOnly = false }: { readonly isReadOnly?: boolean } = {}) {
    this.#folder = folder
    this.#isReadOnly = isReadOnly
  }

  /**
   * The cached value, if `isValue` says that it is one: an archive can bring any file. Synchronous, because reading a small
   * file is faster than a round trip to the thread pool, and a miss can start git at once.
   */
  get<Value>(key: string, isValue: (value: unknown) => value is Value): Value | undefined {
    try {
      const text = readRegularFile(this.#fileOf(key), LARGEST_FILE)
      if (text === undefined) return undefined
      const entry: unknown = JSON.parse(text)
      if (!isFields(entry) || entry['key'] !== key) return undefined
      return isValue(entry['value']) ? entry['value'] : undefined
    } catch {
      return undefined
    }
  }

  /** Whether there is an entry, which may still be of no use. */
  has(key: string): boolean {
    return existsSync(this.#fileOf(key))
  }

  /** Writes an entry in the background. */
  put(key: string, value: unknown): void {
    if (this.#isReadOnly) return
    const writing = this.#write(key, value).finally(() => this.#underWay.delete(writing))
    this.#underWay.add(writing)
  }

  /** Waits for all pending writes. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#underWay)
  }

  async #write(key: string, value: unknown): Promise<void> {
    const file = this.#fileOf(key)
    const temp = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      await writeFile(temp, JSON.stringify({ key, value }), { mode: 0o600, flag: 'wx' })
      await rename(temp, file)
      await this.#prune()
    } catch {
      await rm(temp, { force: true }).catch(() => {})
    }
  }

  #fileOf(key: string): string {
    return join(this.#folder, createHash('sha256').update(key).digest('hex').slice(0, 40))
  }

  /** Once per process: deletes the older half if there are too many entries. */
  async #prune(): Promise<void> {
    if (this.#pruned) return
    this.#pruned = true
    const names = await readdir(this.#folder)
    if (names.length <= MOST_FILES) return
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name)
        return { path, changed: (await lstat(path)).mtimeMs }
      }),
    )
    const oldest = files.toSorted((a, b) => a.changed - b.changed).slice(0, names.length / 2)
    await Promise.all(oldest.map(({ path }) => rm(path, { force: true })))
  }
}
