import type { Replica, ReplicaReader, StoredDocument } from './store.ts'
import { ifReadable } from '../../core/store/stored-json.ts'
import { damagedHistory, openDocument, toVersion, withHeard } from '../document/document.ts'
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

/** What came of the lines about one entity. */
export interface MergedDocument {
  readonly entityId: string
  /** Undefined when the document does not make sense, or not yet. */
  readonly state: EntityState | undefined
  /** Something was said about an entity of which nothing may be kept. */
  readonly isLate: boolean
  /** Those that were given and those that had waited. */
  readonly lines: readonly LogLine[]
  readonly refused: readonly RefusedLine[]
}

/**
 * Brings what was changed here into the entity's document, without anything from elsewhere. Beside a document that
 * cannot be read it waits, until there is one again.
 */
export async function absorb(loro: LoroModule, replica: Replica, entityId: string): Promise<void> {
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
 * Brings lines of the log into the entity's document. What was changed here goes in first, because it was said of the
 * entity as it was before. The document is written only if it is another one afterwards. One that cannot be read is
 * refused while a repair can make it again, and replaced by the lines if they are all there is.
 */
export async function mergeDocument(
  loro: LoroModule,
  replica: Replica,
  entityId: string,
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

/** The same for an entity of which nothing at all is here. Mostly a line says how it began, and that is soon done. */
export async function insertUnknown(
  loro: LoroModule,
  replica: Replica,
  entityId: string,
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

/** Everything that is here about an entity, and these lines. */
export async function readMaterial(
  replica: ReplicaReader,
  entityId: string,
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
const LARGE_DOCUMENT = 1024 * 1024

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
 * A document made of the lines alone, in place of one that cannot be read. Where there is more, in the row or in lines
 * that came before, only a repair knows how it belongs together.
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
