import { StudioError } from '../error.ts'
import { isOver } from './job.ts'
import type { Job } from './job.ts'
import type { JobStore } from './job-store.ts'

/** What work may use while it goes on. */
interface WorkContext {
  readonly signal: AbortSignal
  readonly progress: (done: number, total: number) => void
}

/**
 * Does what a job asks for. What it returns is called in the transaction that completes the job: it writes the work
 * down and gives the job's result, so that after a kill there is either all of it or nothing.
 */
export type Work = (job: Job, context: WorkContext) => Promise<() => object>

/** How jobs are run. */
export interface JobRunnerOptions {
  readonly store: JobStore
  readonly work: Work
  /** Jobs that run at the same time. */
  readonly concurrency?: number
}

interface RunningJob {
  readonly controller: AbortController
  readonly ended: Promise<void>
}

/** Runs jobs, including those that an earlier process could not finish. */
export class JobRunner implements AsyncDisposable {
  readonly #store: JobStore
  readonly #work: Work
  readonly #concurrency: number
  readonly #runningById = new Map<string, RunningJob>()
  readonly #progressById = new Map<string, NonNullable<Job['progress']>>()
  readonly #listeners = new Set<(job: Job) => void>()
  #isClosing = false

  constructor({ store, work, concurrency = 2 }: JobRunnerOptions) {
    this.#store = store
    this.#work = work
    this.#concurrency = concurrency
  }

  /** Begins to work, with what was left over from last time. */
  start(): void {
    this.#store.requeue()
    this.#fill()
  }

  /** Accepts a job; it is on disk when this returns. */
  submit(tool: string, input: object): Job {
    const id = this.#store.create(tool, input)
    // Deferred, so that the caller sees the job as pending first.
    setImmediate(() => this.#fill())
    return this.get(id)
  }

  /** One job; there must be one. */
  get(id: string): Job {
    const job = this.find(id)
    if (job !== undefined) return job
    throw new StudioError(`there is no job ${id}; list_jobs lists those that there are`)
  }

  find(id: string): Job | undefined {
    const job = this.#store.get(id)
    return job && this.#withProgress(job)
  }

  /** The newest jobs, the latest first. */
  list(): Job[] {
    return this.#store.list().map((job) => this.#withProgress(job))
  }

  /** The ids of those that are not over, the latest last. */
  open(): string[] {
    return this.#store.open()
  }

  counts(): { readonly pending: number; readonly running: number } {
    return { pending: this.#store.count('pending'), running: this.#store.count('running') }
  }

  /** Stops a job; one that is over stays what it is. A studio that closes cancels nothing: it will go on. */
  cancel(id: string): Job {
    const job = this.get(id)
    if (this.#isClosing) return job
    this.#store.cancel(id)
    this.#runningById.get(id)?.controller.abort(new Error('the job was cancelled'))
    this.#tell(id)
    return this.get(id)
  }

  /** Hears of every step of every job until the returned function is called. */
  watch(listener: (job: Job) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Resolves when a job is over; rejects when the caller has waited enough. */
  async finished(id: string, signal: AbortSignal): Promise<Job> {
    await this.until(() => isOver(this.get(id)), signal)
    return this.get(id)
  }

  /** Resolves when a condition holds, which is looked at after every step of a job. */
  until(isMet: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (!isMet()) return
        leave()
        resolve()
      }
      const giveUp = (): void => {
        leave()
        reject(signal.reason as Error)
      }
      const unwatch = this.watch(check)
      const leave = (): void => {
        unwatch()
        signal.removeEventListener('abort', giveUp)
      }
      signal.addEventListener('abort', giveUp)
      if (signal.aborted) giveUp()
      else check()
    })
  }

  /** Stops working; what is interrupted begins again at the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    const running = [...this.#runningById.values()]
    for (const { controller } of running) controller.abort(new Error('the studio is closing'))
    await Promise.all(running.map(({ ended }) => ended))
  }

  #fill(): void {
    while (!this.#isClosing && this.#runningById.size < this.#concurrency) {
      const job = this.#store.takeNext()
      if (job === undefined) return
      const controller = new AbortController()
      this.#runningById.set(job.id, { controller, ended: this.#run(job, controller.signal) })
    }
  }

  async #run(job: Job, signal: AbortSignal): Promise<void> {
    const progress = (done: number, total: number): void => {
      this.#progressById.set(job.id, { done, total })
      this.#tell(job.id)
    }
    this.#tell(job.id)
    try {
      const record = await this.#work(job, { signal, progress })
      signal.throwIfAborted()
      this.#store.complete(job.id, record)
    } catch (error) {
      // A job that was stopped has either been cancelled already or waits for the next start.
      if (!signal.aborted) this.#store.fail(job.id, toMessage(error))
    }
    this.#runningById.delete(job.id)
    this.#progressById.delete(job.id)
    this.#tell(job.id)
    this.#fill()
  }

  #withProgress(job: Job): Job {
    return { ...job, progress: this.#progressById.get(job.id) }
  }

  #tell(id: string): void {
    const job = this.get(id)
    for (const listener of this.#listeners) listener(job)
  }
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
