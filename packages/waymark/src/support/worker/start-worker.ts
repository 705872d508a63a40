import { Worker, type WorkerOptions } from 'node:worker_threads'
import { startFromSource } from './start-from-source.ts'

/** The entry files of worker threads, relative to `src`. The build bundles each to `workers/<name>.js`. */
export const WORKER_SOURCES = {
  code: 'annotation/outline/code-worker.ts',
  operation: 'surfaces/serve/operation-worker.ts',
  vacuum: 'core/sqlite/vacuum-worker.ts',
  yaml: 'support/yaml/yaml-worker.ts',
} as const

export type WorkerName = keyof typeof WORKER_SOURCES

export function startWorker(name: WorkerName, options: WorkerOptions): Worker {
  const here = import.meta.url
  return here.endsWith('.ts')
    ? startFromSource(new URL(`../../${WORKER_SOURCES[name]}`, here), options)
    : new Worker(new URL(`../workers/${name}.js`, here), options)
}
