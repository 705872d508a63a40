import { Worker, type WorkerOptions } from 'node:worker_threads'
import { bundleProgram } from './bundle-program.ts'

/** Replaces the one of `packages/waymark`, which compiles every module of the worker again at each start. */
export function startFromSource(source: URL, options: WorkerOptions): Worker {
  return new Worker(bundleProgram(source), options)
}
