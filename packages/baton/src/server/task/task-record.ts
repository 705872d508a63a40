import type { DetailedTask, Task, TaskStatus } from '../../protocol/task.ts'

/** A task as it is stored. */
export interface TaskRecord extends DetailedTask {
  /** Epoch milliseconds until which whoever runs the task vouches for it. */
  readonly vouchedUntil: number
}

/** Tells whether nothing will change any more. */
export function isTerminal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/** What a client sees when its call becomes a task: where it stands, not what it holds. */
export function toTask(record: TaskRecord): Task {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = record
  return {
    taskId,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt,
    lastUpdatedAt,
    ttlMs,
    ...(pollIntervalMs !== undefined && { pollIntervalMs }),
  }
}

/** What a client sees when it asks for a task. */
export function toDetailedTask({ vouchedUntil: _vouchedUntil, ...task }: TaskRecord): DetailedTask {
  return task
}

/** A task that asks nothing any more. */
export function withoutInput({ inputRequests: _inputRequests, ...task }: TaskRecord): TaskRecord {
  return task
}
