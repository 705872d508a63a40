import { withLater } from '../document/concurrent/concurrent.ts'
import type { EntityDocument } from '../document/document.ts'
import type { DocumentChange } from '../document/document-change.ts'
import type { RawState } from '../document/document-state.ts'
import { unguardState } from '../document/guarded-value.ts'
import type { JsonChange } from '../document/loro.ts'

type Version = DocumentChange['before']
type Op = JsonChange['ops'][number]
/** Containers by name: a text, or values by name, as they are in the document. */
type Containers = Map<string, string | Map<string, unknown>>

const CONTAINER = /^cid:root-(.+):(?:Map|Text)$/
const ASTRAL = /[\ud800-\udfff]/

/**
 * The state of a document at any version. The library recomputes each version from the start, which is quadratic in the
 * number of changes. Most changes have a single parent, so their diffs are replayed incrementally; the library is only
 * used for merge points.
 */
export class Past {
  readonly #document: EntityDocument
  readonly #changes: readonly DocumentChange[]
  readonly #placeByVersion: ReadonlyMap<string, number>
  #containers: Containers = new Map()
  /** The change after which that was so. */
  #place = -1

  constructor(document: EntityDocument) {
    this.#document = document
    this.#changes = document.changes()
    this.#placeByVersion = new Map(this.#changes.map(({ after }, place) => [nameOf(after), place]))
  }

  get changes(): readonly DocumentChange[] {
    return this.#changes
  }

  before(place: number): RawState {
    const { before = [] } = this.#changes[place] ?? {}
    const previous = this.#placeOf(before)
    if (previous !== undefined) return this.after(previous)
    return before.length === 0 ? {} : this.#settled(unguardState(this.#document.readAt(before)))
  }

  after(place: number): RawState {
    for (const change of this.#comeNear(place))
      for (const op of change.ops) redo(this.#containers, op)
    this.#place = place
    const values = [...this.#containers].map(([name, container]) => [
      name,
      typeof container === 'string' ? container : Object.fromEntries(container),
    ])
    return this.#settled(unguardState(Object.fromEntries(values) as RawState))
  }

  /** As the clones saw it. */
  #settled(state: RawState): RawState {
    return withLater(state, this.#document.changedTwice(state))
  }

  /** The changes still to be replayed, oldest first. */
  #comeNear(place: number): readonly DocumentChange[] {
    const missing: DocumentChange[] = []
    for (let at = place; at !== this.#place;) {
      const change = this.#changes[at]
      if (change === undefined) break
      missing.push(change)
      const previous = this.#placeOf(change.before)
      if (previous === undefined) {
        this.#containers = this.#startFrom(change.before)
        break
      }
      at = previous
    }
    return missing.reverse()
  }

  #startFrom(version: Version): Containers {
    const state = version.length === 0 ? {} : this.#document.readAt(version)
    return new Map(
      Object.entries(state).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : new Map(Object.entries(value as object)),
      ]),
    )
  }

  /** The change that made this version by itself. */
  #placeOf(version: Version): number | undefined {
    return version.length === 1 ? this.#placeByVersion.get(nameOf(version)) : undefined
  }
}

function redo(containers: Containers, { container, content }: Op): void {
  const name = CONTAINER.exec(container)?.[1] ?? container
  const known = containers.get(name)
  if ('key' in content) {
    const values = known instanceof Map ? known : new Map<string, unknown>()
    // The library returns undefined for a stored `null`.
    if (content.type === 'insert') values.set(content.key, content.value ?? null)
    else values.delete(content.key)
    containers.set(name, values)
  } else if ('pos' in content) {
    const text = typeof known === 'string' ? known : ''
    const isInsertion = content.type === 'insert' && 'text' in content
    const length = 'len' in content ? content.len : 0
    containers.set(name, splice(text, content.pos, length, isInsertion ? content.text : ''))
  }
}

/** Positions and lengths count code points, not UTF-16 units. */
function splice(text: string, at: number, length: number, inserted: string): string {
  if (!ASTRAL.test(text)) return text.slice(0, at) + inserted + text.slice(at + length)
  return Array.from(text).toSpliced(at, length, inserted).join('')
}

function nameOf(version: Version): string {
  return version.map(({ counter, peer }) => `${counter}@${peer}`).join(' ')
}
