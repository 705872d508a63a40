import type { InputRequest, InputRequests } from '../../protocol/input.ts'
import type { JsonObject } from '../../protocol/json-rpc.ts'
import type { DetailedTask, Task, TaskStatus } from '../../protocol/task.ts'

/** A task as it is stored. */
export interface TaskRecord extends DetailedTask {
  /** Epoch milliseconds until which whoever runs the task vouches for it. */
  readonly vouchedUntil: number
  /** What the application finds the task's work by after its process has died. */
  readonly ticket?: string
  /** Answers that the task's handler has yet to take, from whichever process the client reached. */
  readonly answers?: JsonObject
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
export function toDetailedTask(record: TaskRecord): DetailedTask {
  const { vouchedUntil: _vouchedUntil, ticket: _ticket, answers: _answers, ...task } = record
  return task
}

/** Adds questions; an answer to an earlier question of the same name does not count for these. */
export function withQuestions(task: TaskRecord, requests: InputRequests): TaskRecord {
  return {
    ...task,
    status: 'input_required',
    inputRequests: { ...task.inputRequests, ...requests },
    answers: omit(task.answers, requests),
  }
}

/** Takes answers in; a task without open questions works again. */
export function withAnswers(task: TaskRecord, answers: JsonObject): TaskRecord {
  const open = omit<InputRequest>(task.inputRequests, answers)
  const answered = { ...withoutInput(task), answers: { ...task.answers, ...answers } }
  if (Object.keys(open).length === 0) return { ...answered, status: 'working' }
  return { ...answered, status: 'input_required', inputRequests: open }
}

/** A task that asks nothing any more. */
export function withoutInput(record: TaskRecord): TaskRecord {
  const { inputRequests: _inputRequests, answers: _answers, ...task } = record
  return task
}

function omit<T>(members: Readonly<Record<string, T>> = {}, names: object): Record<string, T> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !Object.hasOwn(names, name)))
}
