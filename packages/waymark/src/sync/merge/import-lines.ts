import type { Op, StoredDocument } from './store.ts'
import { ifReadable } from '../../core/store/stored-json.ts'
import { EntityDocument, openDocument } from '../document/document.ts'
import type { VersionMap } from '../document/version.ts'
import { ImportRun, type ImportMode } from './import-run.ts'
import { type Reason, WAITING_LIMIT } from '../log/limits.ts'
import type { LogLine, RefusedLine } from '../log/log-line.ts'
import type { LoroModule } from '../document/loro.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** All sources of one entity's document. */
export interface Material {
  readonly entityId: EntityId
  readonly stored: Pick<StoredDocument, 'document'> | undefined
  /** Changes made here that the document lacks. */
  readonly ops: readonly Op[]
  /** Lines of other clones. */
  readonly lines: readonly LogLine[]
}

export interface Imported {
  readonly document: EntityDocument
  /** Lines with missing dependencies. */
  readonly waiting: readonly LogLine[]
  /** New versions of the authors of the lines. */
  readonly added: VersionMap
  readonly refused: readonly RefusedLine[]
}

/** After this many engine failures the remaining lines are refused. */
const MOST_FAULTS = 16

/** Up to this many changes a document is rebuilt from its operations, which is quadratic. */
const SHORT_HISTORY = 256

/** Above this many characters or lines, operations are imported in one batch before they are applied. */
const FEW_CHARACTERS = 16 * 1024
const FEW_LINES = 16

/**
 * Imports lines into an entity's document, after the local changes. Yields between long steps. Undefined if the stored
 * document is unreadable. A line that the engine refuses or fails on is left out; if it has modified the document, the
 * import is repeated without it.
 */
export function* importLines(
  loro: LoroModule,
  material: Material,
  mode: ImportMode = modeFor(material),
): Generator<void, Imported | undefined> {
  const { entityId, stored, ops, lines } = material
  const refused = new Map<LogLine, Reason>()
  for (let faults = 0; ;) {
    const document = ifReadable(() => openDocument(loro, entityId, stored, ops))
    if (document === undefined) return undefined
    const left = lines.filter((line) => !refused.has(line))
    const run = new ImportRun(document, refused, mode)
    const isClean = yield* run.importAll(left)
    const whole = isClean ? settle(loro, entityId, run, mode) : undefined
    if (whole !== undefined) {
      const waiting = holdUpTo(WAITING_LIMIT, run.waiting, refused)
      const told = [...refused].map(([{ hash }, reason]) => ({ hash, entityId, reason }))
      return { document: whole, waiting, added: run.added, refused: told }
    }
    if (document.isLost) faults += 1
    document[Symbol.dispose]()
    // The batch is invalid: import the lines one by one to find the invalid ones.
    if (isClean) return yield* importLines(loro, material, 'checked')
    if (faults >= MOST_FAULTS) {
      for (const line of run.untried) refused.set(line, 'engine_fault')
    }
  }
}

function modeFor({ lines }: Material): ImportMode {
  const characters = lines.reduce((sum, { text }) => sum + text.length, 0)
  return characters > FEW_CHARACTERS || lines.length > FEW_LINES ? 'together' : 'each'
}

/** The document after the import; undefined if the operations cannot be applied. */
function settle(
  loro: LoroModule,
  entityId: EntityId,
  { document, added }: ImportRun,
  mode: ImportMode,
): EntityDocument | undefined {
  if (mode !== 'together') return document
  if (added.size === 0 || document.size().changes > SHORT_HISTORY) {
    return document.catchUp() ? document : undefined
  }
  try {
    const bytes = document.toOperations()
    document[Symbol.dispose]()
    return new EntityDocument(loro, entityId, bytes)
  } catch {
    return undefined
  }
}

/** The lines that may wait; the others are refused for now. */
function holdUpTo(
  limit: number,
  waiting: readonly LogLine[],
  refused: Map<LogLine, Reason>,
): readonly LogLine[] {
  let bytes = 0
  return waiting.filter((line) => {
    bytes += Buffer.byteLength(line.text)
    if (bytes <= limit) return true
    refused.set(line, 'waiting')
    return false
  })
}
