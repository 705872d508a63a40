import type { Op, StoredDocument } from '../merge/store.ts'
import { type EntityDocument, openDocument } from '../document/document.ts'
import { toFacts } from '../document/document-state.ts'
import type { LoroModule } from '../document/loro.ts'
import { Past } from './past.ts'
import type { EntityId } from '../../entity/entity-id.ts'

export type Facts = ReadonlyMap<string, unknown>

/** A changed fact. `from` is undefined if it was added, `to` if it was removed. */
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

/** One version of an entity. */
export interface HistoryEntry extends Version {
  readonly changes: readonly FactChange[]
  /** The state after the change, as its author saw it. */
  readonly facts: Facts
}

/** The change history of an entity, including changes from other clones. */
export class History implements Disposable {
  readonly #document: EntityDocument
  readonly #past: Past
  /** The merged state. */
  readonly facts: Facts

  constructor(
    loro: LoroModule,
    entityId: EntityId,
    stored: StoredDocument | undefined,
    ops: readonly Op[],
  ) {
    const isPurged = stored?.document === null
    this.#document = openDocument(loro, entityId, stored, isPurged ? [] : ops)
    this.facts = toFacts(this.#document.read())
    this.#past = new Past(this.#document)
  }

  get length(): number {
    return this.#past.changes.length
  }

  /** Who made each change and when, oldest first. */
  get versions(): readonly Version[] {
    return this.#past.changes.map(({ at, by }, index) => ({ version: index + 1, at, by }))
  }

  /** What these changes were about, oldest first. */
  entries(versions: readonly number[]): HistoryEntry[] {
    const known = versions.filter((version) => version >= 1 && version <= this.length)
    return known.toSorted((a, b) => a - b).map((version) => this.#toEntry(version))
  }

  [Symbol.dispose](): void {
    this.#document[Symbol.dispose]()
  }

  #toEntry(version: number): HistoryEntry {
    const { at = 0, by = null } = this.#past.changes[version - 1] ?? {}
    const earlier = toFacts(this.#past.before(version - 1))
    const facts = toFacts(this.#past.after(version - 1))
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
