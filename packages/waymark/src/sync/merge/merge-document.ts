import type { Replica, ReplicaReader, StoredDocument } from './store.ts'
import { ifReadable } from '../../core/store/stored-json.ts'
import { damagedHistory, openDocument } from '../document/document.ts'
import { toVersion, withHeard } from '../document/version.ts'
import { type EntityState, toEntityState } from '../document/document-state.ts'
import {
  endOf,
  parseFirstChange,
  toFirstChange,
  toKeptForm,
  toState,
} from '../document/first-change.ts'
import { type Imported, importLines, type Material } from './import-lines.ts'
import { type LogLine, parseLine, type RefusedLine } from '../log/log-line.ts'
import { type LoroModule, replaceEngine } from '../document/loro.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** The result of merging the lines of one entity. */
export interface MergedDocument {
  readonly entityId: EntityId
  /** Undefined when the document does not make sense, or not yet. */
  readonly state: EntityState | undefined
  /** The lines are about a purged entity. */
  readonly isLate: boolean
  /** Those that were given and those that had waited. */
  readonly lines: readonly LogLine[]
  readonly refused: readonly RefusedLine[]
}

/**
 * Applies local changes to the entity's document, without remote lines. They stay pending while the document is
 * unreadable.
 */
export async function absorb(
  loro: LoroModule,
  replica: Replica,
  entityId: EntityId,
): Promise<void> {
  const stored = await replica.document(entityId)
  const ops = await replica.ops(entityId)
  if (isPurged(stored) || ops.length === 0) return await replica.forgetOps(entityId)
  const [creation, ...more] = ops
  const first =
    stored === undefined && more.length === 0 && creation && toFirstChange(entityId, creation)
  if (first) {
    await replica.forgetOps(entityId)
    await replica.put({ entityId, document: toKeptForm(first), logged: null, isDirty: true })
    return
  }
  using document = ifReadable(() => openDocument(loro, entityId, stored, ops))
  if (document === undefined) return
  const bytes = document.toBytes()
  await replica.forgetOps(entityId)
  const logged = stored?.logged ?? null
  await replica.put({ entityId, document: bytes, logged, isDirty: true })
}

interface GivenLines {
  readonly lines: readonly LogLine[]
  readonly isLogged: boolean
  /** The document with these lines in it, if it was made before the transaction began. */
  readonly prepared?: PreparedDocument | undefined
}

/**
 * Merges log lines into the entity's document. Local changes are applied first, because they were made to the state
 * before the merge. The document is written only if it changed. An unreadable document is an error while a repair can
 * rebuild it, and is replaced by the lines if there is nothing else.
 */
export async function mergeDocument(
  loro: LoroModule,
  replica: Replica,
  entityId: EntityId,
  { lines, isLogged, prepared }: GivenLines,
): Promise<MergedDocument> {
  const material = await readMaterial(replica, entityId, lines)
  const { stored, ops, pendingLines } = material
  if (isPurged(stored)) return { entityId, state: undefined, isLate: true, lines, refused: [] }
  const ready = prepared !== undefined && isMadeOf(prepared, material) ? prepared : undefined
  const made = ready ?? runAll(prepareDocument(loro, material))
  const { bytes, added, waiting, refused, state } =
    made ?? (await startAnew(loro, replica, material))
  if (pendingLines.length > 0) await replica.forgetPendingLines(entityId)
  if (pendingLines.length > 0 && waiting.length === 0) await replica.aside.retryWaiting(entityId)
  for (const { hash, text, verification } of waiting) {
    await replica.putStray(entityId, { hash, line: text, verification })
  }
  if (bytes !== undefined) {
    if (ops.length > 0) await replica.forgetOps(entityId)
    const before = made === undefined ? undefined : stored
    await replica.put({
      entityId,
      document: bytes,
      logged: withHeard(loro, before?.logged ?? null, isLogged ? added : new Map()),
      isDirty: ops.length > 0 || before?.isDirty === true || !isLogged,
    })
  }
  return { entityId, state, isLate: false, lines: material.lines, refused }
}

/** As mergeDocument, for an entity without local data. Usually a single creation line, which has a fast path. */
export async function insertUnknown(
  loro: LoroModule,
  replica: Replica,
  entityId: EntityId,
  given: GivenLines,
): Promise<MergedDocument> {
  const [line, ...more] = given.lines
  const first =
    line !== undefined && 'update' in line && more.length === 0
      ? parseFirstChange(line.update)
      : undefined
  if (first === undefined) return await mergeDocument(loro, replica, entityId, given)
  const { isLogged } = given
  const logged = isLogged ? toVersion(loro, new Map([[first.peer, endOf(first)]])) : null
  await replica.put({ entityId, document: toKeptForm(first), logged, isDirty: !isLogged })
  const state = toEntityState(entityId, toState(first))
  return { entityId, state, isLate: false, lines: given.lines, refused: [] }
}

interface MergeMaterial extends Material {
  readonly stored: StoredDocument | undefined
  /** Of the lines, those that came earlier and have waited since. */
  readonly pendingLines: readonly LogLine[]
}

/** All local data of an entity, and these lines. */
export async function readMaterial(
  replica: ReplicaReader,
  entityId: EntityId,
  given: readonly LogLine[],
): Promise<MergeMaterial> {
  const stored = await replica.document(entityId)
  const ops = await replica.ops(entityId)
  const kept = await replica.pendingLines(entityId)
  const pendingLines = kept.flatMap(({ line, verification }) => {
    const parsed = parseLine(line)
    return parsed === undefined ? [] : [{ ...parsed, verification }]
  })
  return { entityId, stored, ops, pendingLines, lines: [...pendingLines, ...given] }
}

/** A document with lines merged into it, ready to be written. */
export interface PreparedDocument extends Omit<Imported, 'document'> {
  /** Undefined where there was nothing new. */
  readonly bytes: Uint8Array | undefined
  /** Undefined when the document does not make sense, or not yet. */
  readonly state: EntityState | undefined
  readonly material: MergeMaterial
}

/** Offers to pause between long steps. Undefined when the stored document cannot be read. */
export function* prepareDocument(
  loro: LoroModule,
  material: MergeMaterial,
): Generator<void, PreparedDocument | undefined> {
  for (const mode of [undefined, 'checked'] as const) {
    const imported = yield* importLines(loro, material, mode)
    const prepared = imported && finish(imported, material)
    if (imported === undefined || prepared !== undefined) return prepared
  }
  return undefined
}

/** The memory of an engine never shrinks: after a document with more operations than this a fresh one is used. */
const LARGE_DOCUMENT = 256 * 1024

/** Undefined when the engine fails on what was imported: then one of the lines is to blame. */
function finish(
  { document: open, waiting, added, refused }: Imported,
  material: MergeMaterial,
): PreparedDocument | undefined {
  using document = open
  try {
    const isChanged = material.ops.length > 0 || added.size > 0
    const bytes = isChanged ? document.toBytes() : undefined
    const state = toEntityState(material.entityId, document.read())
    if (document.size().operations > LARGE_DOCUMENT) replaceEngine()
    return { bytes, state, waiting, added, refused, material }
  } catch (error) {
    if (document.isLost) return undefined
    throw error
  }
}

/** Whether nothing has changed since the document was prepared. */
function isMadeOf({ material }: PreparedDocument, { stored, ops, lines }: MergeMaterial): boolean {
  return (
    material.stored?.revision === stored?.revision &&
    material.ops.at(-1)?.id === ops.at(-1)?.id &&
    material.lines.length === lines.length &&
    material.lines.every(({ hash }, at) => hash === lines[at]?.hash)
  )
}

/** Does the work of a generator without pausing. */
function runAll<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

/**
 * Replaces an unreadable document by one made of the lines alone. If there is other data, in the row or in earlier
 * lines, only a repair can combine it.
 */
async function startAnew(
  loro: LoroModule,
  replica: Replica,
  material: MergeMaterial,
): Promise<PreparedDocument> {
  const { entityId, ops } = material
  const found = await replica.rows.find(entityId)
  if (found?.isReadable === true) throw damagedHistory(entityId)
  const alone = runAll(prepareDocument(loro, { ...material, stored: undefined, ops: [] }))
  if (alone?.bytes === undefined || alone.state === undefined) throw damagedHistory(entityId)
  using document = openDocument(loro, entityId, { document: alone.bytes }, ops)
  const [bytes, state] = [document.toBytes(), toEntityState(entityId, document.read())]
  if (found !== undefined) await replica.rows.clear(entityId)
  return { ...alone, bytes, state }
}

function isPurged(stored: StoredDocument | undefined): boolean {
  return stored !== undefined && stored.document === null
}
