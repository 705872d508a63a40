import type { Op, StoredDocument } from '../store/replica.ts'
import { toFacts } from './document-state.ts'
import type { LoroModule } from './loro.ts'
import { openDocument } from './merge-document.ts'

export type Facts = ReadonlyMap<string, unknown>

/** One thing that became another. `from` or `to` is undefined where there was or is nothing. */
export interface FactChange {
  readonly name: string
  readonly from: unknown
  readonly to: unknown
}

/** A change in the life of an entity. */
export interface HistoryEntry {
  /** 1 is the first. */
  readonly version: number
  readonly at: number
  readonly by: string | null
  readonly changes: readonly FactChange[]
  /** What was true afterwards, for whoever made the change. */
  readonly facts: Facts
}

/** Who changed what, and when: everything that is known, wherever it was done. */
export function readHistory(
  loro: LoroModule,
  entityId: string,
  stored: StoredDocument | undefined,
  ops: readonly Op[],
): readonly HistoryEntry[] {
  if (stored?.document === null) return []
  using document = openDocument(loro, entityId, stored, ops)
  return [...document.history()].map(({ at, by, before, after }, index) => {
    const facts = toFacts(after)
    return { version: index + 1, at, by, changes: compare(toFacts(before), facts), facts }
  })
}

function compare(before: Facts, after: Facts): FactChange[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({ name, from: before.get(name), to: after.get(name) }))
    .filter(({ from, to }) => !isSameFact(from, to))
}

export function isSameFact(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
