import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../packages/waymark/src/core/store/store.ts'

/** Mistakes that lose what was promised, planted to see whether they are found. */
export type DurabilityFault = 'answer_before_commit' | 'error_ignored' | 'breaks_down' | 'gives_up'

export function withDurabilityFault(store: Store, fault: DurabilityFault): Store {
  return fault === 'answer_before_commit' ? answeringEarly(store) : store
}

/** Tells the caller that all is well when the transaction is written but not yet committed. */
function answeringEarly(store: Store): Store {
  return {
    ...store,
    write: (work, options) =>
      new Promise((resolve, reject) => {
        const write = store.write(async (tx) => {
          const result = await work(tx)
          resolve(result)
          await sleep(2)
          return result
        }, options)
        write.catch(reject)
      }),
  }
}
