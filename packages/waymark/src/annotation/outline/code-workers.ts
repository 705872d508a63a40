import type { Layout } from '../code-text.ts'
import { startWorker } from '../../support/worker/start-worker.ts'
import { WorkerPool } from '../../support/worker/worker-pool.ts'
import { LONGEST_PARSE_MS } from './limits.ts'

/** Work on the text of a file that would block the event loop. */
export type CodeRequest =
  | { readonly task: 'outline'; readonly path: string; readonly text: string }
  | { readonly task: 'hash'; readonly text: string; readonly layout: Layout }
  | ({ readonly task: 'find'; readonly text: string } & WantedLines)
  | { readonly task: 'compare'; readonly older: string; readonly newer: string }

/** So many lines that have this hash together. */
export interface WantedLines {
  readonly count: number
  readonly layout: Layout
  readonly hash: string
}

/** The result as JSON: one string is copied between threads faster than thousands of objects. */
export type CodeAnswer = string

/** All other tasks are linear in the length of the text: seconds for the largest, more on a busy machine. */
const LONGEST_MS = 30_000

/** The threads that work on the files of all repositories of the process. */
export const CODE_WORKERS = new WorkerPool<CodeRequest, CodeAnswer>({
  // Twice as much as any task was seen to use: V8 ends the whole process if a thread asks for too much at once.
  start: () => startWorker('code', { resourceLimits: { maxOldGenerationSizeMb: 512 } }),
  maxThreads: 2,
  jobMs: ({ task }) => (task === 'outline' ? LONGEST_PARSE_MS : LONGEST_MS),
  slowMs: 200,
  idleMs: 60_000,
})
