import { ERROR_CODES, invalidParams, ProtocolError } from '../../protocol/error.ts'
import { isJsonObject } from '../../protocol/json-rpc.ts'
import type { JsonObject } from '../../protocol/json-rpc.ts'
import type { DetailedTask, Task } from '../../protocol/task.ts'
import { MemoryRecordStore } from '../../session/memory-record-store.ts'
import type { RecordStore } from '../../session/record-store.ts'
import { findResponseProblem } from '../input/check-response.ts'
import { RunningTask } from './running-task.ts'
import { isTerminal, toDetailedTask, toTask, withAnswers, withoutInput } from './task-record.ts'
import type { TaskRecord } from './task-record.ts'
import { TaskStore } from './task-store.ts'

/** How tool calls that go on as tasks are kept. */
export interface TaskOptions {
  /** Where tasks are stored; in memory by default. A session store's records survive a restart. */
  readonly records?: RecordStore
  /** Milliseconds that a task can be asked for after its creation; one hour by default. */
  readonly ttlMs?: number
  /** Milliseconds that clients should wait between two looks at a task; 500 by default. */
  readonly pollIntervalMs?: number
  /** Tasks that may run at the same time; 256 by default. */
  readonly limit?: number
}

/** Hears of every change of a task. */
export type TaskListener = (task: DetailedTask, owner: string) => void

const DEFAULTS = { ttlMs: 60 * 60 * 1000, pollIntervalMs: 500, limit: 256 } as const
const VOUCH_MS = 30_000
const LOOK_MS = 1_000

/** Runs tasks and answers for them, including those whose process has died. */
export class TaskRunner {
  readonly #store: TaskStore
  readonly #memory: MemoryRecordStore | undefined
  readonly #options: Required<Omit<TaskOptions, 'records'>>
  readonly #listener: TaskListener
  readonly #runningById = new Map<string, { readonly task: RunningTask; readonly owner: string }>()
  #lookout: ReturnType<typeof setInterval> | undefined

  constructor({ records, ...options }: TaskOptions, listener: TaskListener) {
    const memory = new MemoryRecordStore(Date.now)
    this.#memory = records === undefined ? memory : undefined
    this.#store = new TaskStore(records ?? memory)
    this.#options = { ...DEFAULTS, ...options }
    this.#listener = listener
  }

  /** Stores a new task for a handler that is under way; `stop` is called when the task is cancelled. */
  async start(
    owner: string,
    stop: (reason: Error) => void,
  ): Promise<{ readonly running: RunningTask; readonly task: Task }> {
    const { ttlMs, pollIntervalMs, limit } = this.#options
    if (this.#runningById.size >= limit) {
      throw new ProtocolError(ERROR_CODES.busy, 'too many tasks are running')
    }
    this.#memory?.expire()
    const now = Date.now()
    const createdAt = new Date(now).toISOString()
    const record: TaskRecord = {
      taskId: crypto.randomUUID(),
      status: 'working',
      createdAt,
      lastUpdatedAt: createdAt,
      ttlMs,
      pollIntervalMs,
      vouchedUntil: now + VOUCH_MS,
    }
    const { taskId } = record
    const running = new RunningTask({
      change: (change) => this.#change(taskId, owner, change),
      stop,
      finished: () => this.#forget(taskId),
    })
    await this.#store.create(record, owner)
    this.#runningById.set(taskId, { task: running, owner })
    this.#lookout ??= this.#startLookout()
    return { running, task: toTask(record) }
  }

  /** Looks a task up for its owner. */
  async get(taskId: string, owner: string): Promise<DetailedTask> {
    const record = await this.#find(taskId, owner)
    const isAlive = this.#runningById.has(taskId) || record.vouchedUntil > Date.now()
    if (isTerminal(record.status) || isAlive) return toDetailedTask(record)
    const message = 'the server that ran this task has stopped'
    const error = { code: ERROR_CODES.internalError, message }
    const failed = await this.#change(taskId, owner, (task) => ({
      ...task,
      status: 'failed',
      error,
    }))
    return toDetailedTask(failed ?? record)
  }

  /** Tells whether the owner has such a task. */
  async has(taskId: string, owner: string): Promise<boolean> {
    return (await this.#store.get(taskId, owner)) !== undefined
  }

  /** Takes a client's answers in; those that nobody asked for are ignored. */
  async update(taskId: string, owner: string, responses: unknown): Promise<void> {
    const { inputRequests = {} } = await this.#find(taskId, owner)
    if (!isJsonObject(responses)) throw invalidParams('inputResponses must be an object')
    const answers: JsonObject = {}
    for (const [key, request] of Object.entries(inputRequests)) {
      if (!Object.hasOwn(responses, key)) continue
      const problem = findResponseProblem(request, responses[key])
      if (problem !== undefined) throw invalidParams(`inputResponses.${key} ${problem}`)
      answers[key] = responses[key]
    }
    if (Object.keys(answers).length === 0) return
    const task = await this.#change(taskId, owner, (before) => withAnswers(before, answers))
    this.#runningById.get(taskId)?.task.observe(task)
  }

  /** Cancels a task, unless it has ended. */
  async cancel(taskId: string, owner: string): Promise<void> {
    await this.#find(taskId, owner)
    const task = await this.#change(taskId, owner, (before) => ({
      ...withoutInput(before),
      status: 'cancelled',
    }))
    this.#runningById.get(taskId)?.task.observe(task)
  }

  async #find(taskId: string, owner: string): Promise<TaskRecord> {
    const record = await this.#store.get(taskId, owner)
    if (record === undefined) throw invalidParams('unknown task')
    return record
  }

  async #change(
    taskId: string,
    owner: string,
    change: (task: TaskRecord) => TaskRecord,
  ): Promise<TaskRecord | undefined> {
    const lastUpdatedAt = new Date(Date.now()).toISOString()
    const update = await this.#store.update(taskId, owner, (task) => ({
      ...change(task),
      lastUpdatedAt,
    }))
    if (update?.isChanged === true) this.#listener(toDetailedTask(update.task), owner)
    return update?.task
  }

  #forget(taskId: string): void {
    this.#runningById.delete(taskId)
    if (this.#runningById.size > 0) return
    clearInterval(this.#lookout)
    this.#lookout = undefined
  }

  #startLookout(): ReturnType<typeof setInterval> {
    const lookout = setInterval(() => {
      for (const [taskId, { task, owner }] of this.#runningById) {
        // If the store fails now, the next turn tries again, long before the time is up.
        this.#look(taskId, owner).then(
          (record) => task.observe(record),
          () => undefined,
        )
      }
    }, LOOK_MS)
    lookout.unref?.()
    return lookout
  }

  /**
   * Reads a task as other processes may have changed it, and vouches for it in time: a task that nobody
   * vouches for any more has lost its process, and whoever asks for it should know.
   */
  async #look(taskId: string, owner: string): Promise<TaskRecord | undefined> {
    const record = await this.#store.get(taskId, owner)
    const now = Date.now()
    if (record === undefined || record.vouchedUntil - now > VOUCH_MS / 2) return record
    const vouchedUntil = now + VOUCH_MS
    return (await this.#store.update(taskId, owner, (task) => ({ ...task, vouchedUntil })))?.task
  }
}
