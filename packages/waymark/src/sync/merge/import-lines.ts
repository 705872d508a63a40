import type { Op, StoredDocument } from './store.ts'
import { ifReadable } from '../../core/store/stored-json.ts'
import { EntityDocument, openDocument, type VersionMap } from '../document/document.ts'
import { ImportRun, type ImportMode } from './import-run.ts'
import { type Reason, WAITING_LIMIT } from '../log/limits.ts'
import type { LogLine, RefusedLine } from '../log/log-line.ts'
import type { LoroModule } from '../document/loro.ts'

/** All sources of one entity's document. */
export interface Material {
  readonly entityId: string
  readonly stored: Pick<StoredDocument, 'document'> | undefined
  /** Changes made here that the document lacks. */
  readonly ops: readonly Op[]
  /** What others wrote. */
  readonly lines: readonly LogLine[]
}

export interface Imported {
  readonly document: EntityDocument
  /** Lines that build on something which is not here, wholly or in part. */
  readonly waiting: readonly LogLine[]
  /** How far the authors of the lines have been heard, as far as that was news. */
  readonly added: VersionMap
  readonly refused: readonly RefusedLine[]
}

/** After so many failures of the engine the rest of the lines is given up. */
const MOST_FAULTS = 16

/** Up to so many changes a document is quickly made again from its operations; with more that takes their square. */
const SHORT_HISTORY = 256

/** More characters or lines than this are imported together, before anything is made of them. */
const FEW_CHARACTERS = 16 * 1024
const FEW_LINES = 16

/**
 * Imports lines into an entity's document, after the changes that were made here. Offers to pause between long steps.
 * Undefined when the stored document cannot be read. A line that the engine refuses, or fails on, is left out; where
 * it has left its mark on the document all is done again without that line.
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
    // Together they make no sense: each alone shows which of them does not.
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

/** The document with what was imported in it; undefined when nothing can be made of that. */
function settle(
  loro: LoroModule,
  entityId: string,
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
