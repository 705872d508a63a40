import { LONG_TEXTS } from '../../entity/entity.ts'
import { STATUS, withLastLineEnded } from './document-state.ts'
import { guard } from './guarded-value.ts'
import { toListKeys } from './list-keys.ts'
import type { LoroDoc, LoroMap, LoroText } from './loro.ts'
import type { RelationValue } from './ops-store.ts'
import { homeOf, isText, STATEMENTS, textName, toStatementName } from './concurrent/statements.ts'

type Freeable = Pick<LoroMap | LoroText, 'free'>

/** Writes values into the containers of a document, each in the form that merges best. */
export class DocumentWriter {
  readonly #doc: LoroDoc
  // Handles that are not freed keep their document alive in memory that no garbage collector sees.
  readonly #handles = new Map<string, Freeable>()

  constructor(doc: LoroDoc) {
    this.#doc = doc
  }

  free(): void {
    for (const handle of this.#handles.values()) handle.free()
  }

  setFields(values: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(values)) this.#set('fields', name, value)
  }

  setProperty(name: string, value: unknown): void {
    if (name === STATUS) return this.#setStatus(value)
    if (LONG_TEXTS.has(name) && (typeof value === 'string' || value === null)) {
      return this.setText(name, value, 'properties')
    }
    const isList = Array.isArray(value) && value.every((item) => typeof item === 'string')
    this.setList(name, isList ? value : [])
    // An empty list refers to the items in the list's own container, also when there are none.
    if (value === null) this.#map('properties').delete(name)
    else this.#set('properties', name, isList ? [] : value)
  }

  /** Merged by lines: a line that either side added is kept, so that concurrent edits lose no paragraph. */
  setText(name: string, value: string | null, home: 'fields' | 'properties'): void {
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
  setList(name: string, values: readonly string[]): void {
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

  /** Whether the field has this value, and no two changes say otherwise. */
  isStated(field: string, value: unknown): boolean {
    if (this.#statementsOf(field).length > 1) return false
    if (!isText(field)) return isSame(this.#map(homeOf(field)).get(field) ?? null, guard(value))
    const text = typeof value === 'string' && value !== '' ? withLastLineEnded(value) : ''
    return this.#text(textName(field)).toString() === text
  }

  /** Says that the field was changed to what it is now, in place of the statements that this change has seen. */
  state(field: string, at: number): void {
    const statements = this.#map(STATEMENTS)
    for (const key of this.#statementsOf(field)) statements.delete(key)
    const value = isText(field) ? {} : { value: this.#map(homeOf(field)).get(field) ?? null }
    statements.set(toStatementName(field, this.#doc.peerIdStr), { at, ...value })
  }

  #statementsOf(field: string): readonly string[] {
    return this.#map(STATEMENTS)
      .keys()
      .filter((key) => key.startsWith(`${field} `))
  }

  setRelation(name: string, value: RelationValue | null): void {
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

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
