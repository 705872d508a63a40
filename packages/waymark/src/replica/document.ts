import { LONG_TEXTS } from '../domain/entity.ts'
import type { Failure } from '../error.ts'
import type { EntityChange, RelationValue } from '../store/ops.ts'
import { unreadable } from '../store/stored-json.ts'
import { type AppliedChange, peerFor } from './applied-change.ts'
import { type RawState, STATUS, withLastLineEnded } from './document-state.ts'
import { fromKeptForm, toUpdate } from './first-change.ts'
import { toJsonUpdate } from './json-update.ts'
import { guard, unguardState } from './guarded-value.ts'
import { toListKeys } from './list-keys.ts'
import type { JsonChange, JsonUpdate, LoroDoc, LoroMap, LoroModule, LoroText } from './loro.ts'

/**
 * A document with more changes than this is kept with its present state. That takes a little more space for each change
 * but nothing to open, whereas working out the state takes the square of the number of changes.
 */
const LONG_PAST = 64

type Freeable = Pick<LoroMap | LoroText, 'free'>

/**
 * One entity as a document that merges with other copies of itself. All containers are at the root: nested ones that
 * two clones create at the same time would replace each other.
 */
export class EntityDocument implements Disposable {
  readonly #entityId: string
  readonly #loro: LoroModule
  readonly #doc: LoroDoc
  // Handles that are not freed keep their document alive in memory that no garbage collector sees.
  readonly #handles = new Map<string, Freeable>()

  constructor(loro: LoroModule, entityId: string, bytes?: Uint8Array | null) {
    this.#loro = loro
    this.#entityId = entityId
    this.#doc = new loro.LoroDoc()
    if (bytes === undefined || bytes === null) return
    try {
      const first = fromKeptForm(bytes)
      if (first === undefined) this.#doc.import(bytes)
      else this.#doc.importJsonUpdates(toUpdate(first))
    } catch (cause) {
      this.#doc.free()
      throw damagedHistory(entityId, cause)
    }
  }

  /** Applies one change made on this machine. */
  apply(applied: AppliedChange): void {
    const change = JSON.parse(applied.change) as EntityChange
    this.#doc.setPeerId(peerFor(this.#entityId, this.#doc.frontiers(), applied))
    const { relations, renumbered, deleted } = change
    if (relations === undefined && renumbered === undefined) {
      this.#setFields({ ...change.fields, updated_at: applied.at, updated_by: applied.by })
    }
    if (renumbered !== undefined) this.#setFields({ number: renumbered })
    if (deleted === true) this.#setFields({ deleted_at: applied.at, deleted_by: applied.by })
    if (deleted === false) this.#setFields({ deleted_at: null, deleted_by: null })
    if (change.content !== undefined) this.#setText('content', change.content, 'fields')
    if (change.tags !== undefined) this.#setList('tags', change.tags)
    for (const [name, value] of Object.entries(change.properties ?? {})) {
      this.#setProperty(name, value)
    }
    for (const [name, value] of Object.entries(relations ?? {})) {
      this.#setRelation(name, value)
    }
    this.#doc.commit({
      timestamp: applied.at,
      ...(applied.by !== null && { message: applied.by }),
    })
  }

  /** Takes in what another clone wrote. `waiting`: it builds on something that is not here yet. Throws on nonsense. */
  import(update: JsonUpdate): { readonly isWaiting: boolean; readonly added: VersionMap } {
    const { success, pending } = this.#doc.importJsonUpdates(update)
    const added = new Map([...success].map(([peer, { end }]) => [String(peer), end]))
    return { isWaiting: pending !== null && pending !== undefined, added }
  }

  /** All of it, as plain values. */
  read(): RawState {
    return unguardState(this.#doc.toJSON() as RawState)
  }

  /** How far each author has been heard, in a form that can be kept. */
  version(): Uint8Array {
    const version = this.#doc.oplogVersion()
    try {
      return version.encode()
    } finally {
      version.free()
    }
  }

  /** A version that has also heard these. */
  versionWith(version: Uint8Array | null, added: VersionMap): Uint8Array {
    const known = version === null ? new Map<`${number}`, number>() : this.#decode(version)
    for (const [peer, end] of added) {
      const name = peer as `${number}`
      known.set(name, Math.max(known.get(name) ?? 0, end))
    }
    return toVersion(this.#loro, known)
  }

  /** Everything that somebody at this version has not heard; everything there is when they have heard nothing. */
  updatesSince(version: Uint8Array | null): JsonUpdate {
    if (version === null) return this.#doc.exportJsonUpdates()
    if (this.#hasLongPast) return this.#newestSince(version)
    const since = this.#loro.VersionVector.decode(version)
    try {
      return this.#doc.exportJsonUpdates(since)
    } finally {
      since.free()
    }
  }

  /** Every change there was, in an order in which each comes after those it knew of. */
  changes(): readonly DocumentChange[] {
    const { peers, changes } = this.#doc.exportJsonUpdates()
    const toOpId = (id: string): DocumentChange['before'][number] => {
      const [counter, place] = id.split('@')
      return { peer: peers?.[Number(place)] ?? '0', counter: Number(counter) }
    }
    return changes
      .map((change) => ({ ...change, first: toOpId(change.id) }))
      .toSorted((a, b) => a.lamport - b.lamport || (a.first.peer < b.first.peer ? -1 : 1))
      .map(({ timestamp, msg, deps, ops, first }) => ({
        at: timestamp,
        by: msg ?? null,
        before: deps.map(toOpId),
        after: [{ peer: first.peer, counter: lastCounterOf(ops) }],
        ops,
      }))
  }

  /** What it said at this version, as it is kept. From then on it is only good for looking at the past. */
  readAt(version: DocumentChange['before']): RawState {
    this.#doc.checkout([...version])
    return this.#doc.toJSON() as RawState
  }

  toBytes(): Uint8Array {
    return this.#doc.export({ mode: this.#hasLongPast ? 'snapshot' : 'update' })
  }

  [Symbol.dispose](): void {
    for (const handle of this.#handles.values()) handle.free()
    this.#doc.free()
  }

  get #hasLongPast(): boolean {
    return this.#doc.changeCount() > LONG_PAST
  }

  /** The library would work out the whole past to answer the same; this looks at nothing but what is new. */
  #newestSince(version: Uint8Array): JsonUpdate {
    const known = this.#decode(version)
    const changes = [...this.#decode(this.version())].flatMap(([peer, end]) => {
      const counter = known.get(peer) ?? 0
      if (counter >= end) return []
      return this.#doc.exportJsonInIdSpan({ peer, counter, length: end - counter })
    })
    return toJsonUpdate(changes)
  }

  #decode(version: Uint8Array): Map<`${number}`, number> {
    const decoded = this.#loro.VersionVector.decode(version)
    try {
      return decoded.toJSON()
    } finally {
      decoded.free()
    }
  }

  #setFields(values: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(values)) this.#set('fields', name, value)
  }

  #setProperty(name: string, value: unknown): void {
    if (name === STATUS) return this.#setStatus(value)
    if (LONG_TEXTS.has(name) && (typeof value === 'string' || value === null)) {
      return this.#setText(name, value, 'properties')
    }
    const isList = Array.isArray(value) && value.every((item) => typeof item === 'string')
    this.#setList(name, isList ? value : [])
    // The empty list stands for whatever is in the list's own container, and for itself when that is empty.
    if (value === null) this.#map('properties').delete(name)
    else this.#set('properties', name, isList ? [] : value)
  }

  /** Lines that both sides kept stay, lines that either side added are kept: nobody's paragraph is lost. */
  #setText(name: string, value: string | null, home: 'fields' | 'properties'): void {
    const text = this.#text(`text:${name}`)
    if (value === null || value === '') {
      text.delete(0, text.length)
      if (value === null) this.#map(home).delete(name)
      else this.#map(home).set(name, '')
    } else {
      text.updateByLine(withLastLineEnded(value))
    }
  }

  /** A set whose members know their place: adding the same thing twice adds it once, and nothing moves without need. */
  #setList(name: string, values: readonly string[]): void {
    const list = this.#map(`list:${name}`)
    const places = list.toJSON() as Record<string, unknown>
    const keys = toListKeys(values)
    const wanted = new Set(keys)
    for (const key of Object.keys(places)) if (!wanted.has(key)) list.delete(key)
    let last = -1
    for (const key of keys) {
      const place = places[key]
      const isInOrder = typeof place === 'number' && place > last
      last = isInOrder ? place : last + 1
      if (!isInOrder) list.set(key, last)
    }
  }

  /** Each statement stands beside those it did not know of; `resolveStatus` says which of them counts. */
  #setStatus(value: unknown): void {
    const statements = this.#map(STATUS)
    for (const key of statements.keys()) statements.delete(key)
    if (typeof value === 'string') this.#set(STATUS, this.#doc.peerIdStr, value)
  }

  #setRelation(name: string, value: RelationValue | null): void {
    if (value === null) this.#map('relations').delete(name)
    else this.#set('relations', name, value)
  }

  #set(map: string, name: string, value: unknown): void {
    this.#map(map).set(name, guard(value))
  }

  #map(name: string): LoroMap<Record<string, unknown>> {
    const handle = this.#handles.get(name) ?? this.#doc.getMap(name)
    this.#handles.set(name, handle)
    return handle as LoroMap<Record<string, unknown>>
  }

  #text(name: string): LoroText {
    const handle = this.#handles.get(name) ?? this.#doc.getText(name)
    this.#handles.set(name, handle)
    return handle as LoroText
  }
}

/** A change in an entity's past. */
export interface DocumentChange {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly by: string | null
  /** The version that it was made to, and the one that it made. */
  readonly before: Parameters<LoroDoc['checkout']>[0]
  readonly after: Parameters<LoroDoc['checkout']>[0]
  /** What it did to the version before. */
  readonly ops: JsonChange['ops']
}

/** Each character of a text that comes or goes is an operation of its own. */
function lastCounterOf(ops: DocumentChange['ops']): number {
  const last = ops.at(-1)
  if (last === undefined) return 0
  const { content, counter } = last
  if ('text' in content) return counter + Array.from(content.text).length - 1
  return counter + ('len' in content ? Math.abs(content.len) : 1) - 1
}

/** How many operations of each author have been heard. */
export type VersionMap = ReadonlyMap<string, number>

/** The same in a form that can be kept. */
export function toVersion(loro: LoroModule, heard: VersionMap): Uint8Array {
  const version = loro.VersionVector.parseJSON(heard as Map<`${number}`, number>)
  try {
    return version.encode()
  } finally {
    version.free()
  }
}

export function damagedHistory(entityId: string, cause?: unknown): Failure {
  return unreadable(`the history of ${entityId.slice(0, 7)}`, cause)
}
