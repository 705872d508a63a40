import type { Failure } from '../../core/error.ts'
import type { EntityChange } from './ops-store.ts'
import { unreadable } from '../../core/store/stored-json.ts'
import { type AppliedChange, peerFor } from './applied-change.ts'
import { type DocumentChange, toDocumentChanges } from './document-change.ts'
import { type ChangedTwice, findChangedTwice, withLater } from './concurrent/concurrent.ts'
import { CHANGED_TWICE, type RawState } from './document-state.ts'
import { DocumentWriter } from './document-writer.ts'
import { fromKeptForm, toUpdate } from './first-change.ts'
import { toJsonUpdate } from './json-update.ts'
import { unguardState } from './guarded-value.ts'
import {
  isTrap,
  type JsonUpdate,
  type LoroDoc,
  type LoroModule,
  type PeerId,
  replaceEngine,
} from './loro.ts'
import { textName, toStated } from './concurrent/statements.ts'
import { readTextVersions } from './concurrent/text-versions.ts'
import { decodeVersion, type VersionMap } from './version.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/**
 * A document with more changes or operations than this is stored with a snapshot of its state. That takes a little more
 * space, but computing the state on open is quadratic in the number of changes.
 */
const LONG_PAST = { changes: 64, operations: 128 * 1024 }

/**
 * One entity as a document that merges with other copies of itself. All containers are at the root: nested ones that
 * two clones create at the same time would replace each other. If the engine fails in the middle of a call, the
 * document is lost, the call fails as damaged, and the next document uses a fresh engine.
 */
export class EntityDocument implements Disposable {
  readonly #entityId: EntityId
  readonly #loro: LoroModule
  readonly #doc: LoroDoc
  readonly #writer: DocumentWriter
  #isLost = false

  constructor(loro: LoroModule, entityId: EntityId, bytes?: Uint8Array | null) {
    this.#loro = loro
    this.#entityId = entityId
    this.#doc = this.#guarded(() => new loro.LoroDoc())
    this.#writer = new DocumentWriter(this.#doc)
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
    const before = this.#doc.frontiers()
    this.#doc.setPeerId(peerFor(this.#entityId, before, applied))
    // Nothing is concurrent with the creation, and a field that stays as it is was not changed.
    const stated = [...(before.length === 0 ? [] : toStated(change))].flatMap(([field, value]) =>
      this.#writer.isStated(field, value) ? [] : [field],
    )
    const { relations, renumbered, deleted } = change
    if (relations === undefined && renumbered === undefined) {
      this.#writer.setFields({ ...change.fields, updated_at: applied.at, updated_by: applied.by })
    }
    if (renumbered !== undefined) this.#writer.setFields({ number: renumbered })
    if (deleted === true) this.#writer.setFields({ deleted_at: applied.at, deleted_by: applied.by })
    if (deleted === false) this.#writer.setFields({ deleted_at: null, deleted_by: null })
    if (change.content !== undefined) this.#writer.setText('content', change.content, 'fields')
    if (change.tags !== undefined) this.#writer.setList('tags', change.tags)
    for (const [name, value] of Object.entries(change.properties ?? {})) {
      this.#writer.setProperty(name, value)
    }
    for (const [name, value] of Object.entries(relations ?? {})) {
      this.#writer.setRelation(name, value)
    }
    for (const field of stated) this.#writer.state(field, applied.at)
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

  /** The state as plain values; of contradicting changes the later ones. */
  read(): RawState {
    const state = this.#present()
    const changed = this.changedTwice(state)
    return changed.length === 0 ? state : { ...withLater(state, changed), [CHANGED_TWICE]: changed }
  }

  /** Fields of this state, which may be one of the past, that were changed on both sides. */
  changedTwice(state = this.#present()): readonly ChangedTwice[] {
    return findChangedTwice(state, (field, statements) =>
      this.#guarded(() => readTextVersions(this.#loro, this.#doc, textName(field), statements)),
    )
  }

  #present(): RawState {
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
    return toDocumentChanges(this.#guarded(() => this.#doc.exportJsonUpdates()))
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
      this.#writer.free()
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
}

/** The document with pending local changes applied in memory. */
export function openDocument(
  loro: LoroModule,
  entityId: EntityId,
  stored: { readonly document: Uint8Array | null } | undefined,
  ops: readonly AppliedChange[],
): EntityDocument {
  const document = new EntityDocument(loro, entityId, stored?.document)
  for (const op of ops) document.apply(op)
  return document
}

export function damagedHistory(entityId: EntityId, cause?: unknown): Failure {
  return unreadable(`the history of ${entityId.slice(0, 7)}`, cause)
}
