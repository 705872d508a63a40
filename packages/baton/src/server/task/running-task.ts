import { createDeferred } from '../../internal/deferred.ts'
import type { Deferred } from '../../internal/deferred.ts'
import type { ProtocolError } from '../../protocol/error.ts'
import type { InputRequest, InputRequests } from '../../protocol/input.ts'
import type { JsonObject } from '../../protocol/json-rpc.ts'
import type { Awaitable } from '../call-context.ts'
import type { InputChannel } from '../input/input-channel.ts'
import { isTerminal, withoutInput } from './task-record.ts'
import type { TaskRecord } from './task-record.ts'

/** What a running task can do to its surroundings. */
export interface TaskHost {
  /** Changes the stored task, unless it has ended; resolves to what it is now. */
  change(change: (task: TaskRecord) => TaskRecord): Promise<TaskRecord | undefined>
  /** Tells the handler to stop. */
  stop(reason: Error): void
  /** Called when the handler has really stopped. */
  finished(): void
}

interface OpenQuestion {
  readonly request: InputRequest
  readonly answer: Deferred<unknown>
}

/** A task whose handler runs in this process. */
export class RunningTask implements InputChannel {
  readonly #host: TaskHost
  readonly #questionsByKey = new Map<string, OpenQuestion>()

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

  /** Tells the handler to stop; what it still does has no effect on the task. */
  stop(reason: Error): void {
    this.#host.stop(reason)
    for (const { answer } of this.#questionsByKey.values()) answer.reject(reason)
    this.#questionsByKey.clear()
  }

  /** Puts questions to whoever asks for the task next, and waits until all are answered. */
  async request(requests: InputRequests): Promise<JsonObject> {
    const answers = Object.entries(requests).map(async ([key, request]) => {
      const answer = createDeferred<unknown>()
      this.#questionsByKey.set(key, { request, answer })
      return [key, await answer.promise] as const
    })
    await this.#showQuestions()
    return Object.fromEntries(await Promise.all(answers))
  }

  async once(_key: string, compute: () => Awaitable<unknown>): Promise<unknown> {
    return await compute()
  }

  /** The question that is open under a key. */
  question(key: string): InputRequest | undefined {
    return this.#questionsByKey.get(key)?.request
  }

  /** Answers some of the open questions; the others stay open. */
  async answer(responses: JsonObject): Promise<void> {
    const answered: (() => void)[] = []
    for (const [key, response] of Object.entries(responses)) {
      const question = this.#questionsByKey.get(key)
      if (question === undefined) continue
      this.#questionsByKey.delete(key)
      answered.push(() => question.answer.resolve(response))
    }
    if (answered.length === 0) return
    // The task shows that it works again before its handler can go on and change that.
    await this.#showQuestions()
    for (const resolve of answered) resolve()
  }

  async #showQuestions(): Promise<void> {
    const open = [...this.#questionsByKey].map(([key, { request }]) => [key, request] as const)
    const task = await this.#host.change((before) =>
      open.length === 0
        ? { ...withoutInput(before), status: 'working' }
        : { ...before, status: 'input_required', inputRequests: Object.fromEntries(open) },
    )
    if (task === undefined || isTerminal(task.status)) this.stop(new Error('the task has ended'))
  }
}
