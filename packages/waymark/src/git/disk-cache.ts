import { createHash } from 'node:crypto'
import { lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile } from '../files/regular-file.ts'

const MOST_FILES = 4_000
const LARGEST_FILE = 64 * 1024 * 1024

/**
 * Results that another process may need and that can always be worked out again. Losing one, or the whole folder,
 * costs time and nothing else, so nothing here waits for the disk and no error is worth telling.
 */
export class DiskCache implements AsyncDisposable {
  readonly #folder: string
  readonly #underWay = new Set<Promise<void>>()
  #pruned = false

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * What was put under `key`. The caller knows its form: the key names the version of the code that made it. A small file
   * is read sooner than another thread could be asked to, and on its absence git can be started at once.
   */
  get<Value>(key: string): Value | undefined {
    try {
      const text = readRegularFile(this.#fileOf(key), LARGEST_FILE)
      if (text === undefined) return undefined
      const entry = JSON.parse(text) as Entry<Value>
      return entry.key === key ? entry.value : undefined
    } catch {
      return undefined
    }
  }

  /** Begins to keep a result. Nobody who has it needs to wait until the disk has it too. */
  put(key: string, value: unknown): void {
    const writing = this.#write(key, value).finally(() => this.#underWay.delete(writing))
    this.#underWay.add(writing)
  }

  /** Waits until everything that was put is on the disk, or has failed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#underWay)
  }

  async #write(key: string, value: unknown): Promise<void> {
    const file = this.#fileOf(key)
    const draft = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      await writeFile(draft, JSON.stringify({ key, value }), { mode: 0o600, flag: 'wx' })
      await rename(draft, file)
      await this.#prune()
    } catch {
      await rm(draft, { force: true }).catch(() => {})
    }
  }

  #fileOf(key: string): string {
    return join(this.#folder, createHash('sha256').update(key).digest('hex').slice(0, 40))
  }

  /** Once for each process: if there are too many, the older half goes. */
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

interface Entry<Value> {
  readonly key: string
  readonly value: Value
}
