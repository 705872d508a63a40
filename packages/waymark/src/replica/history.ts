import type { Op, StoredDocument } from '../store/replica.ts'
import type { DocumentChange, EntityDocument } from './document.ts'
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

interface Version {
  /** 1 is the first. */
  readonly version: number
  readonly at: number
  readonly by: string | null
}

/** A change in the life of an entity. */
export interface HistoryEntry extends Version {
  readonly changes: readonly FactChange[]
  /** What was true afterwards, for whoever made the change. */
  readonly facts: Facts
}

/** Who changed what, and when: everything that is known, wherever it was done. */
export class History implements Disposable {
  readonly #document: EntityDocument
  readonly #changes: readonly DocumentChange[]
  /** What is true now, for everybody who has heard everything. */
  readonly facts: Facts

  constructor(
    loro: LoroModule,
    entityId: string,
    stored: StoredDocument | undefined,
    ops: readonly Op[],
  ) {
    const isPurged = stored?.document === null
    this.#document = openDocument(loro, entityId, stored, isPurged ? [] : ops)
    this.facts = toFacts(this.#document.read())
    this.#changes = this.#document.changes()
  }

  get length(): number {
    return this.#changes.length
  }

  /** Who made each change and when, oldest first. */
  get versions(): readonly Version[] {
    return this.#changes.map(({ at, by }, index) => ({ version: index + 1, at, by }))
  }

  /**
   * What these changes were about, oldest first. Going forward through the past is easy and going back takes long, so
   * one call for many is better than many calls.
   */
  entries(versions: readonly number[]): HistoryEntry[] {
    return versions
      .toSorted((a, b) => a - b)
      .flatMap((version) => {
        const change = this.#changes[version - 1]
        return change === undefined ? [] : [this.#toEntry(version, change)]
      })
  }

  [Symbol.dispose](): void {
    this.#document[Symbol.dispose]()
  }

  #toEntry(version: number, { at, by, before, after }: DocumentChange): HistoryEntry {
    const earlier = toFacts(this.#document.readAt(before))
    const facts = toFacts(this.#document.readAt(after))
    return { version, at, by, changes: compare(earlier, facts), facts }
  }
}

function compare(before: Facts, after: Facts): FactChange[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({ name, from: before.get(name), to: after.get(name) }))
    .filter(({ from, to }) => !isSameFact(from, to))
}

export function isSameFact(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
