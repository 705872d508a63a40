import type { InputRequest, InputRequests } from '../../protocol/client-features/input.ts'
import type { JsonObject } from '../../protocol/json-rpc.ts'
import type { DetailedTask, Task, TaskStatus } from '../../protocol/task.ts'

/** A task as it is stored. */
export interface TaskRecord extends DetailedTask {
  /** Epoch milliseconds until which the process that runs the task holds it. */
  readonly leasedUntil: number
  /** Identifies the task's work for `TaskOptions.resume` after its process has died. */
  readonly ticket?: string
  /** Responses that the task's handler has not taken yet; another process may have received them. */
  readonly answers?: JsonObject
}

/** Whether a status is final. */
export function isTerminal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/** The task in the response to the call that became it: its status, without its contents. */
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

/** The task in the result of `tasks/get`. */
export function toDetailedTask(record: TaskRecord): DetailedTask {
  const { leasedUntil: _leasedUntil, ticket: _ticket, answers: _answers, ...task } = record
  return task
}

/** Adds input requests, and drops responses to earlier requests with the same keys. */
export function withQuestions(task: TaskRecord, requests: InputRequests): TaskRecord {
  return {
    ...task,
    status: 'input_required',
    inputRequests: { ...task.inputRequests, ...requests },
    answers: omit(task.answers, requests),
  }
}

/** Adds responses; a task without open input requests is working again. */
export function withAnswers(task: TaskRecord, answers: JsonObject): TaskRecord {
  const open = omit<InputRequest>(task.inputRequests, answers)
  const answered = { ...withoutInput(task), answers: { ...task.answers, ...answers } }
  if (Object.keys(open).length === 0) return { ...answered, status: 'working' }
  return { ...answered, status: 'input_required', inputRequests: open }
}

/** A task without input requests. */
export function withoutInput(record: TaskRecord): TaskRecord {
  const { inputRequests: _inputRequests, answers: _answers, ...task } = record
  return task
}

function omit<T>(members: Readonly<Record<string, T>> = {}, names: object): Record<string, T> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !Object.hasOwn(names, name)))
}
