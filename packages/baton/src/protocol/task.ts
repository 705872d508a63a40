import type { InputRequests } from './input.ts'

/** The extension that lets a tool call go on after its request was answered. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** How far a task has come; the last three are for ever. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** A task as clients see it. */
export interface Task {
  readonly taskId: string
  readonly status: TaskStatus
  readonly statusMessage?: string
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** Milliseconds from creation during which the task can be asked for; null for no limit. */
  readonly ttlMs: number | null
  readonly pollIntervalMs?: number
}

/** A task with what its status promises. */
export interface DetailedTask extends Task {
  readonly result?: object
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  readonly inputRequests?: InputRequests
}
