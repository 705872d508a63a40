import type { RequestTemplate } from '../wire.ts'

/** How much of what is asked, and when to give up. */
export interface LoadOptions {
  readonly request: RequestTemplate
  readonly calls: number
  readonly inFlight: number
  /** After this long no more calls are begun, so that a slow server cannot hold up the others. */
  readonly maxMs: number
  /** The length of a right answer, without the digits of its id. */
  readonly answerLength: number
}

/** What came of it. */
export interface LoadResult {
  readonly calls: number
  readonly elapsedMs: number
  /** In milliseconds, sorted. */
  readonly latencies: Float64Array
}

/** A client without a protocol library. */
export interface Client {
  /** Sends one request and returns the text of the answer. */
  ask(request: RequestTemplate): Promise<string>
  /** Sends a message that is not answered. */
  tell(text: string): Promise<void>
  /** Keeps calls in flight until all are answered. */
  load(options: LoadOptions): Promise<LoadResult>
  close(): void
}

/** A server that is silent for this long counts as dead. */
const SILENCE_MS = 60_000

/** Waits for answers with a timeout; `touch` restarts it. */
export async function withSilenceLimit<T>(
  start: (resolve: (value: T) => void, reject: (error: unknown) => void, touch: () => void) => void,
): Promise<T> {
  let silence: NodeJS.Timeout | undefined
  try {
    return await new Promise<T>((resolve, reject) => {
      silence = setTimeout(() => reject(new Error('the server is silent')), SILENCE_MS)
      start(resolve, reject, () => silence?.refresh())
    })
  } finally {
    clearTimeout(silence)
  }
}

/**
 * Keeps this process awake. A client that sleeps makes the server pay for waking it, and only those servers that are
 * slower than the client; on virtual machines that is as much as all the rest of a call.
 */
export async function wideAwake<T>(work: Promise<T>): Promise<T> {
  let isDone = false
  const turn = (): void => {
    if (!isDone) setImmediate(turn)
  }
  turn()
  try {
    return await work
  } finally {
    isDone = true
  }
}

/** Keeps count of a load: which calls were begun, which are answered, and how long each took. */
export class LoadTally {
  readonly #options: LoadOptions
  readonly #firstId: number
  readonly #startedAt = performance.now()
  readonly #startTimes: Float64Array
  readonly #latencies: Float64Array
  #begun = 0
  #answered = 0

  constructor(options: LoadOptions, firstId: number) {
    this.#options = options
    this.#firstId = firstId
    this.#startTimes = new Float64Array(options.calls)
    this.#latencies = new Float64Array(options.calls)
  }

  get inFlight(): number {
    return this.#begun - this.#answered
  }

  get answered(): number {
    return this.#answered
  }

  /** The text of the next call; undefined when no more are wanted. */
  begin(): string | undefined {
    const { calls, maxMs, request } = this.#options
    const now = performance.now()
    if (this.#begun === calls || now - this.#startedAt > maxMs) return undefined
    this.#startTimes[this.#begun] = now
    return request.toText(this.#firstId + this.#begun++)
  }

  /** Counts an answer; throws if it is not the answer to a call in flight, or another one than at first. */
  end(id: number, length: number): void {
    const at = id - this.#firstId
    const startTime = this.#startTimes[at]
    if (!(at >= 0 && at < this.#begun) || startTime === undefined || this.#latencies[at] !== 0) {
      throw new Error(`answer to ${id}, which is not in flight`)
    }
    if (length - String(id).length !== this.#options.answerLength) {
      throw new Error(`answer to ${id} has ${length} bytes, unlike the one that was checked`)
    }
    this.#latencies[at] = performance.now() - startTime
    this.#answered++
  }

  toResult(): LoadResult {
    return {
      calls: this.#answered,
      elapsedMs: performance.now() - this.#startedAt,
      latencies: this.#latencies.slice(0, this.#answered).sort(),
    }
  }
}
