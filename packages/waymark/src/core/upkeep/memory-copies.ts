import type { Context } from '../context.ts'
import type { Store } from '../store/store.ts'
import { DERIVED, type Derived } from './tasks.ts'

interface Copy {
  readonly state: string
  readonly store: Promise<Store>
}

/** By the store that they were made from. A copy that is replaced may still be read; the garbage collector closes it. */
const COPIES = new WeakMap<Store, Map<keyof Derived, Copy>>()

/** The derived tables in memory, as they are in the store or as an earlier read has updated them. */
export async function copyInMemory<Name extends keyof Derived>(
  context: Context,
  name: Name,
  about: Derived[Name]['about'],
): Promise<Store> {
  const { store } = context
  const copies = COPIES.get(store) ?? new Map<keyof Derived, Copy>()
  COPIES.set(store, copies)
  const state = await DERIVED[name].state(context, about)
  const known = copies.get(name)
  if (known?.state === state) return await known.store
  const copy = { state, store: store.copyToMemory(DERIVED[name].tables) }
  copies.set(name, copy)
  // A failed copy is not kept.
  copy.store.catch(() => copies.delete(name))
  return await copy.store
}
