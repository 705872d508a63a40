import { LONG_TEXTS } from '../../entity/entity.ts'
import type { Failure } from '../../core/error.ts'
import type { EntityChange, RelationValue } from './ops-store.ts'
import { unreadable } from '../../core/store/stored-json.ts'
import { type AppliedChange, peerFor } from './applied-change.ts'
import { type RawState, STATUS, withLastLineEnded } from './document-state.ts'
import { fromKeptForm, toUpdate } from './first-change.ts'
import { toJsonUpdate } from './json-update.ts'
import { guard, unguardState } from './guarded-value.ts'
import { toListKeys } from './list-keys.ts'
import {
  isTrap,
  type JsonChange,
  type JsonUpdate,
  type LoroDoc,
  type LoroMap,
  type LoroModule,
  type LoroText,
  type PeerId,
  replaceEngine,
} from './loro.ts'

/**
 * A document with more changes or operations than this is stored with a snapshot of its state. That takes a little more
 * space, but computing the state on open is quadratic in the number of changes.
 */
const LONG_PAST = { changes: 64, operations: 128 * 1024 }

type Freeable = Pick<LoroMap | LoroText, 'free'>

/**
 * One entity as a document that merges with other copies of itself. All containers are at the root: nested ones that
 * two clones create at the same time would replace each other. If the engine fails in the middle of a call, the
 * document is lost, the call fails as damaged, and the next document uses a fresh engine.
 */
export class EntityDocument implements Disposable {
  readonly #entityId: string
  readonly #loro: LoroModule
  readonly #doc: LoroDoc
  // Handles that are not freed keep their document alive in memory that no garbage collector sees.
  readonly #handles = new Map<string, Freeable>()
  #isLost = false

  constructor(loro: LoroModule, entityId: string, bytes?: Uint8Array | null) {
    this.#loro = loro
    this.#entityId = entityId
    this.#doc = this.#guarded(() => new loro.LoroDoc())
    if (bytes === undefined || bytes === null) return
    try {
      this.#guarded(() => {
        const first = fromKeptForm(bytes)
        if (first === undefined) this.#doc.import(bytes)
        else this.#doc.importJsonUpdates(toUpdate(first))
      })
    } catch (cause) {
      this[Symbol.dispose]()
      throw damagedHistory(entityId, cause)
    }
  }

  /** Applies one change made on this machine. */
  apply(applied: AppliedChange): void {
    this.#guarded(() => this.#apply(applied))
  }

  #apply(applied: AppliedChange): void {
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

  /**
   * Imports changes of another clone and returns the resulting version of each of their authors. Their dependencies must
   * be present. Throws on invalid changes; the document is then unchanged, unless `isLost`.
   */
  import(update: JsonUpdate): VersionMap {
    return this.#guarded(() => {
      const { success } = this.#doc.importJsonUpdates(update)
      return new Map([...success].map(([peer, { end }]) => [String(peer), end]))
    })
  }

  /** Detaches the state: later imports only store operations until `catchUp` or reopening applies them. */
  putOff(): void {
    this.#guarded(() => this.#doc.detach())
  }

  /** False if the imported operations cannot be applied. */
  catchUp(): boolean {
    try {
      this.#guarded(() => this.#doc.attach())
      return true
    } catch {
      return false
    }
  }

  /** The number of operations concurrent with a change that has these dependencies. */
  countBeside(before: readonly (readonly [peer: string, counter: number])[]): number {
    return this.#guarded(() => {
      const heads = before.map(([peer, counter]) => ({ peer: peer as PeerId, counter }))
      const version = this.#doc.frontiersToVV(heads)
      try {
        const known = [...version.toJSON().values()].reduce((sum, end) => sum + end, 0)
        return this.#doc.opCount() - known
      } finally {
        version.free()
      }
    })
  }

  /** All operations, without the state. */
  toOperations(): Uint8Array {
    return this.#guarded(() => this.#doc.export({ mode: 'update' }))
  }

  /** The engine failed, and the document is unusable. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** Numbers of changes and operations; both only grow. */
  size(): { readonly changes: number; readonly operations: number } {
    return this.#guarded(() => ({
      changes: this.#doc.changeCount(),
      operations: this.#doc.opCount(),
    }))
  }

  /** The state as plain values. */
  read(): RawState {
    return this.#guarded(() => unguardState(this.#doc.toJSON() as RawState))
  }

  /** The version vector, encoded. */
  version(): Uint8Array {
    return this.#guarded(() => {
      const version = this.#doc.oplogVersion()
      try {
        return version.encode()
      } finally {
        version.free()
      }
    })
  }

  /** The version vector. */
  heard(): Map<string, number> {
    return new Map(decodeVersion(this.#loro, this.version()))
  }

  /** The updates that a peer at this version lacks; all updates for `null`. */
  updatesSince(version: Uint8Array | null): JsonUpdate {
    return this.#guarded(() => this.#updatesSince(version))
  }

  #updatesSince(version: Uint8Array | null): JsonUpdate {
    if (version === null) return this.#doc.exportJsonUpdates()
    if (this.#hasLongPast) return this.#newestSince(version)
    const since = this.#loro.VersionVector.decode(version)
    try {
      return this.#doc.exportJsonUpdates(since)
    } finally {
      since.free()
    }
  }

  /** All changes in causal order. */
  changes(): readonly DocumentChange[] {
    const { peers, changes } = this.#guarded(() => this.#doc.exportJsonUpdates())
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

  /** Checks out an old version and returns its raw state. Use the document only for reading history afterwards. */
  readAt(version: DocumentChange['before']): RawState {
    return this.#guarded(() => {
      this.#doc.checkout([...version])
      return this.#doc.toJSON() as RawState
    })
  }

  toBytes(): Uint8Array {
    return this.#guarded(() =>
      this.#doc.export({ mode: this.#hasLongPast ? 'snapshot' : 'update' }),
    )
  }

  /** Never fails: an error here would hide the one that led to it. */
  [Symbol.dispose](): void {
    if (this.#isLost) return
    try {
      for (const handle of this.#handles.values()) handle.free()
      this.#doc.free()
    } catch {
      this.#isLost = true
      replaceEngine()
    }
  }

  #guarded<T>(work: () => T): T {
    if (this.#isLost) throw damagedHistory(this.#entityId)
    try {
      return work()
    } catch (error) {
      if (!isTrap(error)) throw error
      this.#isLost = true
      replaceEngine()
      throw damagedHistory(this.#entityId, error)
    }
  }

  get #hasLongPast(): boolean {
    const { changes, operations } = LONG_PAST
    return this.#doc.changeCount() > changes || this.#doc.opCount() > operations
  }

  /** The library's own function walks the whole history; this visits only new changes. */
  #newestSince(version: Uint8Array): JsonUpdate {
    const known = decodeVersion(this.#loro, version)
    const changes = [...decodeVersion(this.#loro, this.version())].flatMap(([peer, end]) => {
      const counter = known.get(peer) ?? 0
      if (counter >= end) return []
      return this.#doc.exportJsonInIdSpan({ peer, counter, length: end - counter })
    })
    return toJsonUpdate(changes)
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
    // An empty list refers to the items in the list's own container, also when there are none.
    if (value === null) this.#map('properties').delete(name)
    else this.#set('properties', name, isList ? [] : value)
  }

  /** Merged by lines: a line that either side added is kept, so that concurrent edits lose no paragraph. */
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

  /** A set with positions: concurrent additions of one item merge, and positions change only when needed. */
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

  /** Concurrent statuses are all kept; `resolveStatus` picks one. */
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

/** The document with pending local changes applied in memory. */
export function openDocument(
  loro: LoroModule,
  entityId: string,
  stored: { readonly document: Uint8Array | null } | undefined,
  ops: readonly AppliedChange[],
): EntityDocument {
  const document = new EntityDocument(loro, entityId, stored?.document)
  for (const op of ops) document.apply(op)
  return document
}

/** A change in an entity's past. */
export interface DocumentChange {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly by: string | null
  /** The versions before and after. */
  readonly before: Parameters<LoroDoc['checkout']>[0]
  readonly after: Parameters<LoroDoc['checkout']>[0]
  /** The diff. */
  readonly ops: JsonChange['ops']
}

function lastCounterOf(ops: DocumentChange['ops']): number {
  const last = ops.at(-1)
  return last === undefined ? 0 : last.counter + lengthOf(last) - 1
}

/** Each character of a text that comes or goes is an operation of its own. */
export function lengthOf({ content }: DocumentChange['ops'][number]): number {
  if ('text' in content) return countCharacters(content.text)
  return 'len' in content ? Math.abs(content.len) : 1
}

function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Operation counts by author. */
export type VersionMap = ReadonlyMap<string, number>

/** Encodes a version vector. */
export function toVersion(loro: LoroModule, heard: VersionMap): Uint8Array {
  const version = loro.VersionVector.parseJSON(heard as Map<`${number}`, number>)
  try {
    return version.encode()
  } finally {
    version.free()
  }
}

/** The union of a version and these counts. */
export function withHeard(
  loro: LoroModule,
  version: Uint8Array | null,
  added: VersionMap,
): Uint8Array {
  const known = new Map<string, number>(version === null ? [] : decodeVersion(loro, version))
  for (const [peer, end] of added) known.set(peer, Math.max(known.get(peer) ?? 0, end))
  return toVersion(loro, known)
}

function decodeVersion(loro: LoroModule, version: Uint8Array): Map<PeerId, number> {
  const decoded = loro.VersionVector.decode(version)
  try {
    return decoded.toJSON()
  } finally {
    decoded.free()
  }
}

export function damagedHistory(entityId: string, cause?: unknown): Failure {
  return unreadable(`the history of ${entityId.slice(0, 7)}`, cause)
}
