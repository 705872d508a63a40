import { ERROR_CODES, invalidParams, ProtocolError } from '../../protocol/error.ts'
import { isJsonObject } from '../../protocol/json-rpc.ts'
import type { JsonObject } from '../../protocol/json-rpc.ts'
import type { DetailedTask, Task } from '../../protocol/task.ts'
import { MemoryRecordStore } from '../../session/memory/record-store.ts'
import { createTaskId } from '../../session/random-id.ts'
import type { RecordStore } from '../../session/record-store.ts'
import type { CallToolResult } from '../../protocol/server-features/tool.ts'
import type { Awaitable } from '../call-context.ts'
import { toErrorResult, toToolResult, withTextMirror } from '../reply.ts'
import { findResponseProblem } from '../input/check-response.ts'
import { RunningTask } from './running-task.ts'
import { isTerminal, toDetailedTask, toTask, withAnswers, withoutInput } from './task-record.ts'
import type { TaskRecord } from './task-record.ts'
import { TaskStore } from './task-store.ts'

/** Options for tool calls that become tasks. */
export interface TaskOptions {
  /** Where tasks are stored; in memory by default. The records of a durable session store survive a restart. */
  readonly records?: RecordStore
  /** Milliseconds after creation until a task expires; one hour by default. */
  readonly ttlMs?: number
  /** Milliseconds that clients should wait between two polls; 500 by default. */
  readonly pollIntervalMs?: number
  /** Tasks that may run at the same time; 256 by default. */
  readonly limit?: number
  /** Milliseconds of a running task's lease, which its process renews; 30 seconds by default. */
  readonly leaseMs?: number
  /**
   * Resumes the work with this ticket after the process that passed it to `becomeTask` has died; called when the client
   * next polls the task. Without it, or without a ticket, such a task fails.
   */
  readonly resume?: (ticket: string, signal: AbortSignal) => Awaitable<CallToolResult>
}

/** Called for every change of a task. */
export type TaskListener = (task: DetailedTask, owner: string) => void

const DEFAULTS = {
  ttlMs: 60 * 60 * 1000,
  pollIntervalMs: 500,
  limit: 256,
  leaseMs: 30_000,
} as const
const POLL_MS = 1_000

/** Runs tasks and serves their status, including those whose process has died. */
export class TaskRunner {
  readonly #store: TaskStore
  readonly #memory: MemoryRecordStore | undefined
  readonly #options: Required<Omit<TaskOptions, 'records' | 'resume'>>
  readonly #resume: TaskOptions['resume']
  readonly #listener: TaskListener
  readonly #runningById = new Map<string, { readonly task: RunningTask; readonly owner: string }>()
  #poll: ReturnType<typeof setInterval> | undefined

  constructor({ records, resume, ...options }: TaskOptions, listener: TaskListener) {
    const memory = new MemoryRecordStore(Date.now)
    this.#memory = records === undefined ? memory : undefined
    this.#store = new TaskStore(records ?? memory)
    this.#options = { ...DEFAULTS, ...options }
    this.#resume = resume
    this.#listener = listener
  }

  /** Stores a new task for a running handler; `stop` is called when the task is cancelled. */
  async start(
    owner: string,
    {
      stop,
      ticket,
    }: { readonly stop: (reason: Error) => void; readonly ticket: string | undefined },
  ): Promise<{ readonly running: RunningTask; readonly task: Task }> {
    const { ttlMs, pollIntervalMs, limit, leaseMs } = this.#options
    if (this.#runningById.size >= limit) {
      throw new ProtocolError(ERROR_CODES.busy, 'too many tasks are running')
    }
    this.#memory?.expire()
    const now = Date.now()
    const createdAt = new Date(now).toISOString()
    const record: TaskRecord = {
      taskId: createTaskId(),
      status: 'working',
      createdAt,
      lastUpdatedAt: createdAt,
      ttlMs,
      pollIntervalMs,
      leasedUntil: now + leaseMs,
      ...(ticket !== undefined && { ticket }),
    }
    await this.#store.create(record, owner)
    return { running: this.#run(record.taskId, owner, stop), task: toTask(record) }
  }

  /** A task of this owner. */
  async get(taskId: string, owner: string): Promise<DetailedTask> {
    const record = await this.#find(taskId, owner)
    const isAlive = this.#runningById.has(taskId) || record.leasedUntil > Date.now()
    if (isTerminal(record.status) || isAlive) return toDetailedTask(record)
    const { ticket } = record
    if (ticket !== undefined && this.#resume !== undefined)
      return toDetailedTask((await this.#takeOver(record, owner, this.#resume)) ?? record)
    const message = 'the server that ran this task has stopped'
    const error = { code: ERROR_CODES.internalError, message }
    const failed = await this.#change(taskId, owner, (task) => ({
      ...task,
      status: 'failed',
      error,
    }))
    return toDetailedTask(failed ?? record)
  }

  /** Whether the owner has this task. */
  async has(taskId: string, owner: string): Promise<boolean> {
    return (await this.#store.get(taskId, owner)) !== undefined
  }

  /** Adds a client's responses; those without an open input request are ignored. */
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

  #run(taskId: string, owner: string, stop: (reason: Error) => void): RunningTask {
    const task = new RunningTask({
      change: (change) => this.#change(taskId, owner, change),
      stop,
      finished: () => this.#forget(taskId),
    })
    this.#runningById.set(taskId, { task, owner })
    this.#poll ??= this.#startPolling()
    return task
  }

  /** Resumes a task whose process has died, unless another process was faster. */
  async #takeOver(
    { taskId, ticket = '' }: TaskRecord,
    owner: string,
    resume: NonNullable<TaskOptions['resume']>,
  ): Promise<TaskRecord | undefined> {
    const now = Date.now()
    let isOurs = false
    const taken = await this.#change(taskId, owner, (task) => {
      isOurs = task.leasedUntil <= now
      if (!isOurs) return task
      const leasedUntil = now + this.#options.leaseMs
      return { ...withoutInput(task), status: 'working', leasedUntil }
    })
    if (!isOurs || taken === undefined || isTerminal(taken.status)) return taken
    const controller = new AbortController()
    const running = this.#run(taskId, owner, (reason) => controller.abort(reason))
    // If the store fails to save the result, the lease expires and the next poll of the client resumes the task again.
    finish(running, async () => resume(ticket, controller.signal)).catch(() => undefined)
    return taken
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
    clearInterval(this.#poll)
    this.#poll = undefined
  }

  #startPolling(): ReturnType<typeof setInterval> {
    const poll = setInterval(() => {
      for (const [taskId, { task, owner }] of this.#runningById) {
        // If the store fails now, the next poll tries again, long before the lease expires.
        this.#refresh(taskId, owner).then(
          (record) => task.observe(record),
          () => undefined,
        )
      }
    }, POLL_MS)
    poll.unref?.()
    return poll
  }

  /**
   * Reads a task, which other processes may have changed, and renews its lease in time: an expired lease means that the
   * process of the task has died.
   */
  async #refresh(taskId: string, owner: string): Promise<TaskRecord | undefined> {
    const record = await this.#store.get(taskId, owner)
    const now = Date.now()
    const { leaseMs } = this.#options
    if (record === undefined || record.leasedUntil - now > leaseMs / 2) return record
    const leasedUntil = now + leaseMs
    return (await this.#store.update(taskId, owner, (task) => ({ ...task, leasedUntil })))?.task
  }
}

/** Ends a task with the result or error of its work. */
async function finish(task: RunningTask, work: () => Promise<CallToolResult>): Promise<void> {
  try {
    await task.complete(withTextMirror(toToolResult(await work())))
  } catch (error) {
    if (error instanceof ProtocolError) await task.fail(error)
    else await task.complete(toErrorResult(error))
  }
}
