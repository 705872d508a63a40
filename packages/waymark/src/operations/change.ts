import type { Context } from '../context.ts'
import type { Stamp } from '../store/entities.ts'
import type { StoreTransaction } from '../store/store.ts'

/** One change in the making: the nouns, when and by whom, and how to tell the others about it. */
export interface Change extends Omit<StoreTransaction, 'events' | 'now'> {
  readonly stamp: Stamp
  announce(type: string, subject: string, data: Readonly<Record<string, unknown>>): Promise<void>
}

/** Runs `work` in one transaction; what it changes and what it announces become visible together or not at all. */
export function change<T>(context: Context, work: (change: Change) => Promise<T>): Promise<T> {
  return context.store.write(async (tx) => {
    const stamp = { at: await tx.now(context.now()), by: context.agent.name }
    return await work({
      entities: tx.entities,
      relations: tx.relations,
      tasks: tx.tasks,
      stamp,
      announce: async (type, subject, data) => {
        await tx.events.append({ type, subject, at: stamp.at, agent: stamp.by, data })
      },
    })
  }, context)
}
