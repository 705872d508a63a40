import { createDeferred } from '../../internal/deferred.ts'
import type { Deferred } from '../../internal/deferred.ts'
import type { ProtocolError } from '../../protocol/error.ts'
import type { InputRequests } from '../../protocol/client-features/input.ts'
import type { JsonObject } from '../../protocol/json-rpc.ts'
import type { Awaitable } from '../call-context.ts'
import type { InputChannel } from '../input/input-channel.ts'
import { isTerminal, withoutInput, withQuestions } from './task-record.ts'
import type { TaskRecord } from './task-record.ts'

/** What a running task needs from the task runner. */
export interface TaskHost {
  /** Changes the stored task, unless it has ended; resolves to the current record. */
  change(change: (task: TaskRecord) => TaskRecord): Promise<TaskRecord | undefined>
  /** Tells the handler to stop. */
  stop(reason: Error): void
  /** Called when the handler has stopped. */
  finished(): void
}

/** A task whose handler runs in this process. */
export class RunningTask implements InputChannel {
  readonly #host: TaskHost
  readonly #answersByKey = new Map<string, Deferred<unknown>>()

  constructor(host: TaskHost) {
    this.#host = host
  }

  async complete(result: object): Promise<void> {
    this.#host.finished()
    await this.#host.change((task) => ({ ...withoutInput(task), status: 'completed', result }))
  }

  async fail({ code, message, data }: ProtocolError): Promise<void> {
    const error = { code, message, ...(data !== undefined && { data }) }
    this.#host.finished()
    await this.#host.change((task) => ({ ...withoutInput(task), status: 'failed', error }))
  }

  /** Stores input requests, which the client gets with its next poll, and waits for all responses. */
  async request(requests: InputRequests): Promise<JsonObject> {
    const answers = Promise.all(
      Object.keys(requests).map(async (key) => {
        const answer = createDeferred<unknown>()
        this.#answersByKey.set(key, answer)
        return [key, await answer.promise] as const
      }),
    )
    // Stopping the task rejects these, possibly before they are awaited below.
    answers.catch(() => undefined)
    this.observe(await this.#host.change((task) => withQuestions(task, requests)))
    return Object.fromEntries(await answers)
  }

  async once(_key: string, compute: () => Awaitable<unknown>): Promise<unknown> {
    return await compute()
  }

  /** Applies changes of the stored record: responses, and an end by cancellation or expiry. */
  observe(task: TaskRecord | undefined): void {
    if (task === undefined || isTerminal(task.status)) {
      this.#stop(new Error(`the task was ${task?.status ?? 'removed'}`))
      return
    }
    for (const [key, response] of Object.entries(task.answers ?? {})) {
      this.#answersByKey.get(key)?.resolve(response)
      this.#answersByKey.delete(key)
    }
  }

  #stop(reason: Error): void {
    this.#host.stop(reason)
    for (const answer of this.#answersByKey.values()) answer.reject(reason)
    this.#answersByKey.clear()
  }
}
