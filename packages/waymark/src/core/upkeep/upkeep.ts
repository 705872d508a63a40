import type { Context } from '../context.ts'
import { Failure } from '../error.ts'
import type { ReadStore } from '../store/store.ts'
import type { LiveState } from '../../task/lease/shared/store.ts'
import { copyInMemory } from './memory-copies.ts'
import { DERIVED, type Derived, RECORDS, type Records } from './tasks.ts'

/** How a read causes the writes that `tasks.ts` lists. */
export interface Upkeep {
  /** The state of the register of claims as a change of this call found it, where claims are shared. */
  register?: LiveState
  /** The caller was told which leases it has lost. */
  hasToldLosses?: true
  /** Queues a record for after the answer. Dropped in read-only mode. */
  later<Name extends keyof Records>(name: Name, about: Records[Name]): void
  /** Carries out what is queued. A record that cannot be written is dropped: a later read queues it again. */
  settle(): Promise<void>
  /** Brings derived tables up to date. They are read from the returned store, which is in memory in read-only mode. */
  refresh<Name extends keyof Derived>(
    name: Name,
    about: Derived[Name]['about'],
  ): Promise<{ readonly store: ReadStore; readonly result: Derived[Name]['result'] }>
}

/**
 * The upkeep of one call, with its own queue. `contextOf` returns the context to write with: that of the call, without
 * its idempotency key.
 */
export function createUpkeep(contextOf: () => Context): Upkeep {
  let queue: { readonly name: string; readonly run: () => Promise<void> }[] = []
  return {
    later(name, about) {
      if (contextOf().access.readOnly) return
      queue.push({ name, run: () => RECORDS[name](contextOf(), about) })
    },

    async settle() {
      const queued = queue
      queue = []
      for (const { name, run } of queued) {
        await run().catch((error: unknown) => logDropped(contextOf(), name, error))
      }
    },

    async refresh(name, about) {
      const context = contextOf()
      const { access, store } = context
      const derived = DERIVED[name]
      if (!access.readOnly) {
        return { store: store.reader, result: await derived.update(context, about) }
      }
      const copy = await copyInMemory(context, name, about)
      return {
        store: copy.reader,
        result: await derived.update({ ...context, store: copy }, about),
      }
    },
  }
}

/** For reads whose answer is not given: nothing is written for them, and tables are read as they are. */
export function noUpkeep(store: ReadStore): Upkeep {
  return {
    later() {},
    async settle() {},
    refresh: async () => ({ store, result: [] as never }),
  }
}

/** A store that is busy or cannot be written is no reason to fail a read. */
function logDropped({ logger }: Context, name: string, error: unknown): void {
  if (error instanceof Failure) logger.debug('upkeep dropped', { name, message: error.message })
  else logger.error('upkeep failed', { name, error })
}
