import type { Offload } from '../context.ts'

/** For servers, whose event loop has others to serve. Threads are loaded with the first operation that needs one. */
export const offload: Offload = async (...call) => {
  const { runInThread } = await import('./operation-thread.ts')
  return await runInThread(...call)
}
