import { isJsonObject } from '../../protocol/json-rpc.ts'
import type { RecordKey, RecordStore } from '../../session/record-store.ts'
import { isTerminal } from './task-record.ts'
import type { TaskRecord } from './task-record.ts'

/** A task after an update, and whether the update had an effect. */
export interface TaskUpdate {
  readonly task: TaskRecord
  readonly isChanged: boolean
}

const COLLECTION = 'task'
const MAX_ATTEMPTS = 20

/** Tasks in a record store; each is visible only to its owner. */
export class TaskStore {
  readonly #records: RecordStore

  constructor(records: RecordStore) {
    this.#records = records
  }

  /** Stores a new task; once this resolves it is durable. */
  async create(task: TaskRecord, owner: string): Promise<void> {
    const created = await this.#records.write({
      ...toKey(task.taskId, owner),
      value: JSON.stringify(task),
      expiresAt: toExpiry(task),
      replaces: 0,
    })
    if (!created) throw new Error(`task ${task.taskId} exists already`)
  }

  async get(taskId: string, owner: string): Promise<TaskRecord | undefined> {
    const record = await this.#records.read(toKey(taskId, owner))
    return record && parseTask(record.value)
  }

  /** Changes a task unless it has ended, by compare-and-set with retries; resolves to the current task. */
  async update(
    taskId: string,
    owner: string,
    change: (task: TaskRecord) => TaskRecord,
  ): Promise<TaskUpdate | undefined> {
    const key = toKey(taskId, owner)
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const record = await this.#records.read(key)
      if (record === undefined) return undefined
      const task = parseTask(record.value)
      if (isTerminal(task.status)) return { task, isChanged: false }
      const changed = change(task)
      const value = JSON.stringify(changed)
      const { expiresAt, version: replaces } = record
      if (await this.#records.write({ ...key, value, expiresAt, replaces })) {
        return { task: changed, isChanged: true }
      }
    }
    throw new Error(`task ${taskId} has too many concurrent updates`)
  }
}

function toKey(taskId: string, owner: string): RecordKey {
  return { collection: COLLECTION, key: taskId, owner }
}

function toExpiry({ createdAt, ttlMs }: TaskRecord): number | null {
  return ttlMs === null ? null : Date.parse(createdAt) + ttlMs
}

// Only this class writes the collection, so any valid JSON object has the right shape.
function parseTask(text: string): TaskRecord {
  const task: unknown = JSON.parse(text)
  if (!isJsonObject(task)) throw new TypeError('a stored task is not an object')
  return task as unknown as TaskRecord
}
