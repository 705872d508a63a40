import type { InputRequests } from './client-features/input.ts'

/** The extension with which a tool call continues after its request was answered. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** The status of a task; the last three are terminal. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** A task as sent to clients. */
export interface Task {
  readonly taskId: string
  readonly status: TaskStatus
  readonly statusMessage?: string
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** Milliseconds after creation until the task expires; null if it does not. */
  readonly ttlMs: number | null
  readonly pollIntervalMs?: number
}

/** A task with the result, error or input requests of its status. */
export interface DetailedTask extends Task {
  readonly result?: object
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  readonly inputRequests?: InputRequests
}
