/** A durable value with an owner and a version. */
export interface StoredRecord {
  readonly value: string
  /** Grows by one with every write. */
  readonly version: number
  /** Epoch milliseconds after which the record is gone; `null` keeps it. */
  readonly expiresAt: number | null
}

/** Names one record; another owner's record with the same key does not exist for the caller. */
export interface RecordKey {
  /** What kind of thing it is, such as `task`. */
  readonly collection: string
  readonly key: string
  readonly owner: string
}

/** What to write, and the version it replaces. */
export interface RecordWrite extends RecordKey {
  readonly value: string
  readonly expiresAt: number | null
  /** The version that was read; 0 means that the key must be free. */
  readonly replaces: number
}

/** Small durable values changed by compare-and-set, so that two writers can never both win. */
export interface RecordStore {
  read(key: RecordKey): Promise<StoredRecord | undefined>
  /** False when the record has another version, or the key belongs to somebody else. */
  write(record: RecordWrite): Promise<boolean>
  remove(key: RecordKey): Promise<boolean>
}
