import type { RecordKey, RecordStore, RecordWrite, StoredRecord } from '../record-store.ts'

interface OwnedRecord extends StoredRecord {
  readonly owner: string
}

/** Records in memory, for the lifetime of the process. */
export class MemoryRecordStore implements RecordStore {
  readonly #now: () => number
  readonly #recordsByName = new Map<string, OwnedRecord>()

  constructor(now: () => number) {
    this.#now = now
  }

  read(key: RecordKey): Promise<StoredRecord | undefined> {
    const record = this.#find(key)
    if (record?.owner !== key.owner) return Promise.resolve(undefined)
    const { value, version, expiresAt } = record
    return Promise.resolve({ value, version, expiresAt })
  }

  write({ replaces, ...record }: RecordWrite): Promise<boolean> {
    const { owner, value, expiresAt } = record
    const current = this.#find(record)
    if ((current?.version ?? 0) !== replaces) return Promise.resolve(false)
    if (current !== undefined && current.owner !== owner) return Promise.resolve(false)
    this.#recordsByName.set(toName(record), { owner, value, expiresAt, version: replaces + 1 })
    return Promise.resolve(true)
  }

  remove(key: RecordKey): Promise<boolean> {
    const owned = this.#find(key)?.owner === key.owner
    return Promise.resolve(owned && this.#recordsByName.delete(toName(key)))
  }

  expire(): void {
    for (const [name, record] of this.#recordsByName)
      if (this.#isExpired(record)) this.#recordsByName.delete(name)
  }

  #find(key: RecordKey): OwnedRecord | undefined {
    const record = this.#recordsByName.get(toName(key))
    return record === undefined || this.#isExpired(record) ? undefined : record
  }

  #isExpired({ expiresAt }: OwnedRecord): boolean {
    return expiresAt !== null && expiresAt <= this.#now()
  }
}

function toName({ collection, key }: RecordKey): string {
  return JSON.stringify([collection, key])
}
