import { LONG_TEXTS } from '../../entity/entity.ts'
import type { EntityChange } from './ops-store.ts'
import { type AppliedChange, peerFor } from './applied-change.ts'
import { STATUS, type RawState, withLastLineEnded } from './document-state.ts'
import { guard, isReserved, unguardState } from './guarded-value.ts'
import { toListKeys } from './list-keys.ts'
import type { JsonUpdate } from './loro.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/**
 * A document with only the change that created its entity. Most entities never change again, and this case is written
 * and read without the library, several times as fast. It has an encoding of its own; the next change converts it to an
 * ordinary document.
 */
export interface FirstChange {
  readonly peer: string
  readonly at: number
  readonly by: string | null
  readonly ops: readonly FirstOp[]
}

/** The name of a container, and a text for it; or a name in it and the value, absent where nothing is to be. */
type FirstOp =
  | readonly [container: string, text: string]
  | readonly [container: string, name: string, value: unknown]
  | readonly [container: string, name: string, nothing: null, isDeleted: true]

const TEXT = 'text:'
const CONTAINER = /^cid:root-(.+):(Map|Text)$/
/** Magic prefix of this encoding; the library never writes it. */
const OPENING = '['.charCodeAt(0)
/** The names of properties that have containers of their own, which nothing else has. */
const PROPERTY = /^(?!tags$)[a-z_0-9]{1,100}$/
/** Values are seldom deeper; what is, is left to the library. */
const DEEPEST = 16

/** Equal to the library's result for a change to an empty document. Undefined for cases left to the library. */
export function toFirstChange(entityId: EntityId, applied: AppliedChange): FirstChange | undefined {
  const { fields, content, tags, properties, ...others } = JSON.parse(
    applied.change,
  ) as EntityChange
  if (fields === undefined || Object.keys(others).length > 0) return undefined
  if (!Object.keys(properties ?? {}).every((name) => PROPERTY.test(name))) return undefined
  const { at, by } = applied
  const peer = peerFor(entityId, [], applied)
  const stamped = { ...fields, updated_at: at, updated_by: by }
  const ops = [
    ...Object.entries(stamped).map(([name, value]) => toValueOp('fields', name, value)),
    ...(content === undefined ? [] : toTextOps('content', content, 'fields')),
    ...(tags === undefined ? [] : toListOps('tags', tags)),
    ...Object.entries(properties ?? {}).flatMap(([name, value]) =>
      toPropertyOps(name, value, peer),
    ),
  ]
  return by?.isWellFormed() !== false && ops.every(isPlainOp) ? { peer, at, by, ops } : undefined
}

function toPropertyOps(name: string, value: unknown, peer: string): FirstOp[] {
  if (name === STATUS) return typeof value === 'string' ? [toValueOp(STATUS, peer, value)] : []
  if (LONG_TEXTS.has(name) && (typeof value === 'string' || value === null)) {
    return toTextOps(name, value, 'properties')
  }
  if (value === null) return [['properties', name, null, true]]
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string')
  return isList
    ? [...toListOps(name, value), ['properties', name, []]]
    : [toValueOp('properties', name, value)]
}

function toTextOps(name: string, value: string | null, home: 'fields' | 'properties'): FirstOp[] {
  if (value === null) return [[home, name, null, true]]
  return value === '' ? [[home, name, '']] : [[`${TEXT}${name}`, withLastLineEnded(value)]]
}

function toListOps(name: string, values: readonly string[]): FirstOp[] {
  return toListKeys(values).map((key, place) => [`list:${name}`, key, place])
}

function toValueOp(container: string, name: string, value: unknown): FirstOp {
  return [container, name, guard(value)]
}

/** Undefined unless the update is a creation in the usual form. */
export function parseFirstChange(update: JsonUpdate): FirstChange | undefined {
  const { peers, changes, start_version: start } = update
  const [peer] = peers ?? []
  const [change] = changes
  if (peer === undefined || peers?.length !== 1) return undefined
  if (change === undefined || changes.length !== 1 || Object.keys(start).length > 0)
    return undefined
  const { id, deps, lamport, timestamp: at, msg } = change
  if (id !== '0@0' || deps.length > 0 || lamport !== 0) return undefined
  const ops: FirstOp[] = []
  let counter = 0
  for (const { container, content, counter: given } of change.ops) {
    const op = given === counter ? toFirstOp(container, content) : undefined
    if (op === undefined || !isPlainOp(op)) return undefined
    ops.push(op)
    counter += lengthOf(op)
  }
  const texts = ops.filter(isTextOp).map(([container]) => container)
  if (ops.length === 0 || new Set(texts).size < texts.length) return undefined
  const by = msg ?? null
  return by?.isWellFormed() === false ? undefined : { peer, at, by, ops }
}

type JsonContent = JsonUpdate['changes'][number]['ops'][number]['content']

function toFirstOp(container: string, content: JsonContent): FirstOp | undefined {
  const [, name = '', type] = CONTAINER.exec(container) ?? []
  if (name.startsWith(TEXT) !== (type === 'Text')) return undefined
  const { type: kind, key, value, pos, text } = content as Readonly<Record<string, unknown>>
  if (type === 'Text') {
    return kind === 'insert' && pos === 0 && typeof text === 'string' ? [name, text] : undefined
  }
  if (typeof key !== 'string') return undefined
  if (kind === 'delete') return [name, key, null, true]
  return value === undefined ? undefined : [name, key, value]
}

export function toUpdate({ peer, at, by, ops }: FirstChange): JsonUpdate {
  let counter = 0
  const written = ops.map((op) => {
    const container = `cid:root-${op[0]}:${isTextOp(op) ? 'Text' : 'Map'}`
    const before = counter
    counter += lengthOf(op)
    return { container, content: toContent(op), counter: before }
  })
  return {
    schema_version: 1,
    start_version: {},
    peers: [peer],
    changes: [{ id: '0@0', timestamp: at, deps: [], lamport: 0, msg: by, ops: written }],
  } as unknown as JsonUpdate
}

function toContent(op: FirstOp) {
  if (isTextOp(op)) return { type: 'insert', pos: 0, text: op[1] }
  if (op.length === 4) return { type: 'delete', key: op[1] }
  return { type: 'insert', key: op[1], value: op[2] }
}

/** What the document says. */
export function toState({ ops }: FirstChange): RawState {
  const texts = ops.filter(isTextOp).map(([container, text]) => [container, text] as const)
  const maps = new Map<string, Map<string, unknown>>()
  for (const op of ops) {
    if (isTextOp(op)) continue
    const [container, name, value] = op
    const map = maps.get(container) ?? new Map<string, unknown>()
    maps.set(container, map)
    if (op.length === 4) map.delete(name)
    else map.set(name, value)
  }
  const values = [...maps].map(([container, map]) => [container, Object.fromEntries(map)] as const)
  return unguardState(Object.fromEntries([...texts, ...values]))
}

/** How many operations of its author there are. */
export function endOf({ ops }: FirstChange): number {
  return ops.reduce((sum, op) => sum + lengthOf(op), 0)
}

export function toKeptForm({ peer, at, by, ops }: FirstChange): Uint8Array {
  return Buffer.from(JSON.stringify([peer, at, by, ops]))
}

/** Undefined for a document that the library has written. */
export function fromKeptForm(bytes: Uint8Array): FirstChange | undefined {
  if (bytes[0] !== OPENING) return undefined
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const [peer, at, by, ops] = JSON.parse(text) as [string, number, string | null, FirstOp[]]
  return { peer, at, by, ops }
}

function isTextOp(op: FirstOp): op is readonly [string, string] {
  return op.length === 2
}

/** An author's operations are counted: each character of a text is one. */
function lengthOf(op: FirstOp): number {
  return isTextOp(op) ? Array.from(op[1]).length : 1
}

/** The library gives it back as it is. */
function isPlainOp(op: FirstOp): boolean {
  return (
    op.every((part, at) => (at === 1 || at === 2 ? isPlain(part, DEEPEST) : true)) &&
    op[1] !== '__proto__'
  )
}

function isPlain(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'boolean') return true
  if (typeof value === 'string') return value.isWellFormed() && !isReserved(value)
  if (typeof value === 'number')
    return Number.isSafeInteger(value) || (!Number.isInteger(value) && Number.isFinite(value))
  if (typeof value !== 'object' || depth === 0) return false
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth - 1))
  return Object.entries(value).every(
    ([name, inner]) => name !== '__proto__' && isPlain(name, 0) && isPlain(inner, depth - 1),
  )
}
