import { startWorker } from '../worker/start-worker.ts'
import { WorkerPool } from '../worker/worker-pool.ts'
import { LONGEST_PARSE_MS } from './outline/limits.ts'

/** A text to outline. */
export interface CodeRequest {
  readonly path: string
  readonly text: string
}

/** The units as JSON, or `null` for too many. One string is copied between threads faster than thousands of objects. */
export type CodeAnswer = string

/** The threads that parse source files, shared by all repositories of the process. */
export const CODE_WORKERS = new WorkerPool<CodeRequest, CodeAnswer>({
  start: () => startWorker('code', { resourceLimits: { maxOldGenerationSizeMb: 256 } }),
  maxThreads: 2,
  jobMs: LONGEST_PARSE_MS,
  slowMs: 200,
  idleMs: 60_000,
})
