import { once } from 'node:events'
import { startWorker } from '../../support/worker/start-worker.ts'
import type { Vacuum } from './vacuum-worker.ts'

/** Resolves when the database was rewritten; throws what the thread threw. */
export async function vacuumInThread({ path, patience }: Vacuum): Promise<void> {
  const workerData: Vacuum = { path, patience }
  // The event rejects on an error of the thread.
  await once(startWorker('vacuum', { workerData }), 'exit')
}
