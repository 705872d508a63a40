import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts a worker from a TypeScript file, for programs that run the sources: Node 20 cannot start a thread from one.
 * Tests have a replacement that bundles the file once.
 */
export function startFromSource(source: URL, options: WorkerOptions): Worker {
  const tsx = import.meta.resolve('tsx/esm/api')
  const program = `import('${tsx}').then((tsx) => tsx.tsImport('${source.href}', '${tsx}'))`
  return new Worker(program, { ...options, eval: true })
}
