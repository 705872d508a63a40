import type { Op, Replica, StoredDocument } from '../store/replica.ts'
import { ifReadable } from '../store/stored-json.ts'
import { damagedHistory, EntityDocument, toVersion } from './document.ts'
import { type EntityState, toEntityState } from './document-state.ts'
import { endOf, parseFirstChange, toFirstChange, toKeptForm, toState } from './first-change.ts'
import { type LogLine, parseLine } from './log-line.ts'
import type { LoroModule } from './loro.ts'

/** What came of the lines about one entity. */
export interface MergedDocument {
  readonly entityId: string
  /** Undefined when the document does not make sense, or not yet. */
  readonly state: EntityState | undefined
  readonly isPurged: boolean
  /** Something was said about an entity of which nothing may be kept. */
  readonly isLate: boolean
  /** Lines that were refused. */
  readonly damaged: number
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
  await replica.forgetOps(entityId)
  const logged = stored?.logged ?? null
  await replica.put({ entityId, document: document.toBytes(), logged, isDirty: true })
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
  { lines: given, isLogged }: { readonly lines: readonly LogLine[]; readonly isLogged: boolean },
): Promise<MergedDocument> {
  const stored = await replica.document(entityId)
  const nothing = { entityId, state: undefined, damaged: 0 }
  const isLate = given.some((line) => 'update' in line)
  if (isPurged(stored)) return { ...nothing, isPurged: false, isLate }
  if (given.some((line) => 'isPurged' in line)) return { ...nothing, isPurged: true, isLate }
  const ops = await replica.ops(entityId)
  const strays = (await replica.strays(entityId)).map(({ line }) => parseLine(line))
  const lines = [...strays.filter((line) => line !== undefined), ...given]
  const material = { entityId, stored, ops, lines }
  const read = importLines(loro, material)
  const { document, waiting, added, damaged } = read ?? (await startAnew(loro, replica, material))
  using _ = document
  const before = read === undefined ? undefined : stored
  if (strays.length > 0) await replica.forgetStrays(entityId)
  for (const { hash, text } of waiting) await replica.putStray(entityId, { hash, line: text })
  if (ops.length > 0 || added.size > 0) {
    if (ops.length > 0) await replica.forgetOps(entityId)
    await replica.put({
      entityId,
      document: document.toBytes(),
      logged: document.versionWith(before?.logged ?? null, isLogged ? added : new Map()),
      isDirty: ops.length > 0 || before?.isDirty === true || !isLogged,
    })
  }
  const state = toEntityState(entityId, document.read())
  return { entityId, state, isPurged: false, isLate: false, damaged }
}

/** The same for an entity of which nothing at all is here. Mostly a line says how it began, and that is soon done. */
export async function takeInStranger(
  loro: LoroModule,
  replica: Replica,
  entityId: string,
  given: { readonly lines: readonly LogLine[]; readonly isLogged: boolean },
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
  return { entityId, state, isPurged: false, isLate: false, damaged: 0 }
}

/** The document with everything that was changed here in it; nothing is written. */
export function openDocument(
  loro: LoroModule,
  entityId: string,
  stored: Pick<StoredDocument, 'document'> | undefined,
  ops: readonly Op[],
): EntityDocument {
  const document = new EntityDocument(loro, entityId, stored?.document)
  for (const op of ops) document.apply(op)
  return document
}

interface Material {
  readonly entityId: string
  readonly stored: StoredDocument | undefined
  readonly ops: readonly Op[]
  readonly lines: readonly LogLine[]
}

interface Imported {
  readonly document: EntityDocument
  readonly waiting: readonly LogLine[]
  readonly added: ReadonlyMap<string, number>
  readonly damaged: number
}

/**
 * A document made of the lines alone, in place of one that cannot be read. Where there is more, in the row or in lines
 * that came before, only a repair knows how it belongs together.
 */
async function startAnew(
  loro: LoroModule,
  replica: Replica,
  { entityId, ops, lines }: Material,
): Promise<Imported> {
  const found = await replica.rows.find(entityId)
  if (found?.isReadable === true) throw damagedHistory(entityId)
  const imported = importLines(loro, { entityId, stored: undefined, ops: [], lines })
  if (imported === undefined) throw damagedHistory(entityId)
  const { document } = imported
  if (toEntityState(entityId, document.read()) === undefined) {
    document[Symbol.dispose]()
    throw damagedHistory(entityId)
  }
  for (const op of ops) document.apply(op)
  if (found !== undefined) await replica.rows.clear(entityId)
  return imported
}

/**
 * Undefined when what is stored cannot be read. A line that the library refuses may leave its mark on the document, so
 * all is done again without that line.
 */
function importLines(
  loro: LoroModule,
  { entityId, stored, ops, lines }: Material,
): Imported | undefined {
  const refused = new Set<LogLine>()
  for (;;) {
    const document = ifReadable(() => openDocument(loro, entityId, stored, ops))
    if (document === undefined) return undefined
    const added = new Map<string, number>()
    const importOne = (line: LogLine): boolean => {
      if (!('update' in line) || refused.has(line)) return false
      try {
        const result = document.import(line.update)
        for (const [peer, end] of result.added) added.set(peer, end)
        return result.isWaiting
      } catch {
        refused.add(line)
        return false
      }
    }
    const before = refused.size
    const held = lines.filter(importOne)
    // One that waited may have been waiting for another of the same batch.
    const waiting = held.filter(importOne)
    if (refused.size === before) return { document, waiting, added, damaged: refused.size }
    document[Symbol.dispose]()
  }
}

function isPurged(stored: StoredDocument | undefined): boolean {
  return stored !== undefined && stored.document === null
}
