import type { Worker } from 'node:worker_threads'
import type { Context, Offload } from '../context.ts'
import { isTimeUp } from '../../support/deadline.ts'
import { Failure } from '../error.ts'
import type { OperationCall, OperationNews } from './operation-call.ts'
import { startWorker } from '../../support/worker/start-worker.ts'

/** How long a result is cached that no caller waited for. */
const KEPT_MS = 120_000

/** The operation that runs for a project, by its state folder: one at a time. */
const RUNNING = new Map<string, OperationThread>()

/**
 * Runs an operation in a worker thread with its own connections. Concurrent calls with the same input share one run.
 * After a caller's timeout the run continues, and the next call gets its result.
 */
export const runInThread: Offload = async (context, name, input) => {
  const { root, state } = context.project ?? {}
  if (root === undefined || state === undefined)
    throw new Error(`${name} cannot run in a thread without a project`)
  const key = `${name} ${JSON.stringify(input)}`
  for (let other = RUNNING.get(state); other !== undefined; other = RUNNING.get(state)) {
    if (other.key !== key) throw alreadyRunning(other.name)
    if (!other.isCancelled) return await other.wait(context)
    await other.ended
  }
  const thread = new OperationThread(name, key, toCall(context, { name, root, input }))
  RUNNING.set(state, thread)
  void thread.ended.then(() => RUNNING.delete(state))
  return await thread.wait(context)
}

function toCall(
  { agent, repeatable, code }: Context,
  { name, root, input }: { readonly name: string; readonly root: string; readonly input: unknown },
): OperationCall {
  const { noteRef, fallbackRef } = code ?? {}
  return {
    operation: name,
    input,
    root,
    agent,
    ...(repeatable !== undefined && { repeatable }),
    noteRefs: {
      ...(noteRef !== undefined && { noteRef }),
      ...(fallbackRef !== undefined && { fallbackRef }),
    },
  }
}

class OperationThread {
  readonly name: string
  /** The operation and its input. */
  readonly key: string
  /** Resolves when a caller has the result, or none will get it. */
  readonly ended: Promise<void>
  /** All callers have cancelled, and the thread was told to stop. */
  isCancelled = false
  readonly #worker: Worker
  readonly #answer: Promise<unknown>
  readonly #callers = new Set<Context>()
  #isAnswered = false
  #end = (): void => {}

  constructor(name: string, key: string, call: OperationCall) {
    this.name = name
    this.key = key
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
    this.#worker = startWorker('operation', { workerData: call })
    this.#answer = this.#listen()
    this.#answer.then(
      () => this.#keep(),
      () => this.#end(),
    )
  }

  /** The result; throws on the caller's timeout or cancellation. */
  async wait(context: Context): Promise<unknown> {
    const { signal } = context
    this.#callers.add(context)
    const { stopped, forget } = whenAborted(signal, this.name)
    try {
      return await Promise.race([this.#answer, stopped])
    } finally {
      forget()
      this.#callers.delete(context)
      if (this.#isAnswered) this.#end()
      else if (this.#callers.size === 0 && !isTimeUp(signal)) this.#cancel()
    }
  }

  #cancel(): void {
    this.isCancelled = true
    this.#worker.postMessage('cancel')
  }

  #listen(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#worker.on('message', (news: OperationNews) => {
        if ('progress' in news) {
          for (const caller of this.#callers) caller.progress(...news.progress)
        } else if ('output' in news) {
          resolve(news.output)
        } else {
          const { code, message, details = {} } = news.failure
          reject(new Failure(code, message, { details }))
        }
      })
      this.#worker.on('error', reject)
      this.#worker.on('exit', () => reject(new Error(`the thread of ${this.name} has ended`)))
    })
  }

  /** Caches a result that no caller waited for. */
  #keep(): void {
    this.#isAnswered = true
    if (this.#callers.size > 0) return
    if (this.isCancelled) this.#end()
    else setTimeout(this.#end, KEPT_MS).unref()
  }
}

function whenAborted(signal: AbortSignal, name: string) {
  let forget = (): void => {}
  const stopped = new Promise<never>((_, reject) => {
    const abort = (): void => {
      reject(isTimeUp(signal) ? stillRunning(name) : (signal.reason as Error))
    }
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    forget = () => signal.removeEventListener('abort', abort)
  })
  return { stopped, forget }
}

function stillRunning(name: string): Failure {
  return new Failure('timeout', `${name} is still running; call it again to wait for its answer`)
}

function alreadyRunning(name: string): Failure {
  const message = `${name} is running for this project with other options; try again when it has ended`
  return new Failure('busy', message)
}
