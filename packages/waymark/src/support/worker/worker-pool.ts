import type { Worker } from 'node:worker_threads'
import { FairQueue } from './fair-queue.ts'

/** Why a job has no answer. `unavailable`: no thread could be started, or the pool was disposed of first. */
export type WorkerFailure = 'timeout' | 'memory' | 'crash' | 'unavailable'

export type Outcome<Answer> = { readonly answer: Answer } | { readonly failure: WorkerFailure }

/** A worker posts `ready` once, then one outcome for each request. */
export type Reply<Answer> = Outcome<Answer> | 'ready'

export interface PoolOptions<Request> {
  readonly start: () => Worker
  readonly maxThreads: number
  /** Time limit of one job, extended up to fourfold while other processes leave this one little processor time. */
  readonly jobMs: number | ((request: Request) => number)
  /** A job that runs longer than this no longer holds up the queue: the next job may start another thread. */
  readonly slowMs: number
  /** An idle thread ends after this time. */
  readonly idleMs: number
}

interface Job<Request, Answer> {
  readonly request: Request
  readonly settle: (outcome: Outcome<Answer>) => void
}

interface Thread<Request, Answer> {
  readonly worker: Worker
  isReady: boolean
  isSlow: boolean
  isEnding: boolean
  job?: Job<Request, Answer>
  timers: NodeJS.Timeout[]
}

const MOST_EXTENSIONS = 3

/**
 * A pool of worker threads for CPU-bound jobs. Each thread runs one job at a time. A thread whose job exceeds the time
 * limit, runs out of memory or crashes is terminated; only that job fails, and the next one gets a new thread.
 */
export class WorkerPool<Request, Answer> {
  readonly #options: PoolOptions<Request>
  readonly #queue = new FairQueue<object, Job<Request, Answer>>()
  readonly #threads = new Set<Thread<Request, Answer>>()
  readonly #owners = new Set<object>()

  constructor(options: PoolOptions<Request>) {
    this.#options = options
  }

  /** Runs a job; owners are served round-robin. The promise never rejects. */
  run(owner: object, request: Request): Promise<Outcome<Answer>> {
    this.#owners.add(owner)
    return new Promise((settle) => {
      this.#queue.add(owner, { request, settle })
      this.#dispatch()
    })
  }

  /** Drops the owner's queued jobs. The threads end with the last owner. */
  async release(owner: object): Promise<void> {
    fail(this.#queue.remove(owner), 'unavailable')
    this.#owners.delete(owner)
    if (this.#owners.size > 0) return
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, 'unavailable')))
  }

  #dispatch(): void {
    for (const thread of this.#threads) {
      if (!thread.isReady || thread.isEnding || thread.job !== undefined) continue
      const job = this.#queue.next()
      if (job === undefined) return
      this.#begin(thread, job)
    }
    const isStuck = [...this.#threads].every(({ isSlow }) => isSlow)
    if (!this.#queue.isEmpty && isStuck && this.#threads.size < this.#options.maxThreads)
      this.#start()
  }

  #start(): void {
    const worker = this.#options.start()
    const state = { isReady: false, isSlow: false, isEnding: false, timers: [] }
    const thread: Thread<Request, Answer> = { worker, ...state }
    this.#threads.add(thread)
    worker.on('message', (reply: Reply<Answer>) => this.#receive(thread, reply))
    worker.on('error', (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      void this.#end(thread, isMemory ? 'memory' : 'crash')
    })
    worker.on('exit', () => void this.#end(thread, 'crash'))
  }

  #begin(thread: Thread<Request, Answer>, job: Job<Request, Answer>): void {
    const { jobMs, slowMs } = this.#options
    clearTimers(thread)
    thread.job = job
    thread.worker.ref()
    thread.timers.push(
      setTimeout(() => {
        thread.isSlow = true
        this.#dispatch()
      }, slowMs),
    )
    this.#limit(thread, typeof jobMs === 'number' ? jobMs : jobMs(job.request))
    thread.worker.postMessage(job.request)
  }

  #limit(thread: Thread<Request, Answer>, jobMs: number): void {
    const began = process.cpuUsage()
    let extensions = MOST_EXTENSIONS
    const check = (): void => {
      const { user, system } = process.cpuUsage(began)
      const hadProcessor = (user + system) / 1_000 >= jobMs / 2
      if (hadProcessor || extensions === 0) void this.#end(thread, 'timeout')
      else thread.timers.push(setTimeout(check, jobMs))
      extensions -= 1
    }
    thread.timers.push(setTimeout(check, jobMs))
  }

  #receive(thread: Thread<Request, Answer>, reply: Reply<Answer>): void {
    if (thread.isEnding) return
    if (reply !== 'ready' && 'failure' in reply) {
      // The state of the thread after a failure is unknown, so it is not used again.
      void this.#end(thread, reply.failure)
      return
    }
    const { job } = thread
    delete thread.job
    thread.isReady = true
    thread.isSlow = false
    if (reply !== 'ready') job?.settle(reply)
    this.#dispatch()
    if (thread.job === undefined) this.#rest(thread)
  }

  /** An idle thread does not keep the process alive. */
  #rest(thread: Thread<Request, Answer>): void {
    clearTimers(thread)
    thread.worker.unref()
    const timer = setTimeout(() => void this.#end(thread, 'unavailable'), this.#options.idleMs)
    thread.timers.push(timer.unref())
  }

  async #end(thread: Thread<Request, Answer>, failure: WorkerFailure): Promise<void> {
    if (thread.isEnding) return
    thread.isEnding = true
    clearTimers(thread)
    thread.job?.settle({ failure })
    // A thread that ended before it was ready would end again: fail the queue instead of starting threads for ever.
    if (!thread.isReady) fail(this.#queue.clear(), 'unavailable')
    await thread.worker.terminate()
    // It counts as a thread until its memory is free.
    this.#threads.delete(thread)
    this.#dispatch()
  }
}

function fail<Answer>(jobs: readonly Job<unknown, Answer>[], failure: WorkerFailure): void {
  for (const { settle } of jobs) settle({ failure })
}

function clearTimers(thread: { timers: NodeJS.Timeout[] }): void {
  for (const timer of thread.timers) clearTimeout(timer)
  thread.timers = []
}
