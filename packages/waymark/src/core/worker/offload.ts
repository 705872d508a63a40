import type { Offload } from '../context.ts'

/** For servers, whose event loop must not be blocked. The thread code is loaded by the first heavy operation. */
export const offload: Offload = async (...call) => {
  const { runInThread } = await import('./operation-thread.ts')
  return await runInThread(...call)
}
