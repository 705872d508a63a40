/** A durable value with an owner and a version. */
export interface StoredRecord {
  readonly value: string
  /** Incremented by every write. */
  readonly version: number
  /** Epoch milliseconds at which the record expires; `null` for never. */
  readonly expiresAt: number | null
}

/** Identifies a record; records of other owners are invisible. */
export interface RecordKey {
  /** The kind of record, such as `task`. */
  readonly collection: string
  readonly key: string
  readonly owner: string
}

/** A new value, and the version it replaces. */
export interface RecordWrite extends RecordKey {
  readonly value: string
  readonly expiresAt: number | null
  /** The version that was read; 0 if the record must not exist. */
  readonly replaces: number
}

/** Small durable values with compare-and-set, so that of two concurrent writers only one succeeds. */
export interface RecordStore {
  read(key: RecordKey): Promise<StoredRecord | undefined>
  /** False if the record has another version or another owner. */
  write(record: RecordWrite): Promise<boolean>
  remove(key: RecordKey): Promise<boolean>
}
