import type { Scheduler } from 'fast-check'
import type { Store } from '../../../packages/waymark/src/core/store/store.ts'
import { withNouns } from '../../system/with-nouns.ts'

/** The same store, where every step waits until the scheduler lets it go on, inside of transactions too. */
export function scheduleStore(store: Store, scheduler: Scheduler, actor: string): Store {
  const wait = async (step: string) => {
    await scheduler.schedule(Promise.resolve(), `${actor} ${step}`)
  }
  const nouns = <N extends Nouns>(source: N) => ({
    leases: scheduled<N['leases']>(source.leases, wait),
    entities: scheduled<N['entities']>(source.entities, wait),
    agents: scheduled<N['agents']>(source.agents, wait),
    tasks: scheduled<N['tasks']>(source.tasks, wait),
  })
  return {
    ...store,
    ...nouns(store),
    now: async (wallClock) => {
      await wait('now')
      return await store.now(wallClock)
    },
    write: async (work, options) => {
      await wait('write')
      const written = await store.write(async (tx) => {
        await wait('begin')
        const result = await work(withNouns(tx, nouns(tx)))
        await wait('commit')
        return result
      }, options)
      await wait('written')
      return written
    },
  }
}

type Nouns = Pick<Store, 'leases' | 'entities' | 'agents' | 'tasks'>

/** Each of its methods answers only when the scheduler says so. */
function scheduled<N extends object>(noun: N, wait: (step: string) => Promise<void>): N {
  return new Proxy(noun, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return async (...values: unknown[]) => {
        await wait(String(name))
        return (await Reflect.apply(method, target, values)) as unknown
      }
    },
  })
}
