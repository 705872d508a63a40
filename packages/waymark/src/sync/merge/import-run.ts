import type { EntityDocument } from '../document/document.ts'
import { lengthOf } from '../document/document-change.ts'
import type { VersionMap } from '../document/version.ts'
import { DOCUMENT_LIMITS, type Reason } from '../log/limits.ts'
import type { LogLine, UpdateLine } from '../log/log-line.ts'
import type { JsonChange, JsonUpdate } from '../document/loro.ts'

/**
 * `each`: applies each line as it is imported, so that an invalid line fails alone.
 * `together`: applies all lines at the end, which takes a fraction of the time for long texts.
 * `checked`: like `each`, and test-reads and test-writes the document after each line.
 */
export type ImportMode = 'each' | 'together' | 'checked'

/** Changes per call of the engine, whose time per change grows with their number. */
const BATCH_SIZE = 250

/** One pass over lines, with one document. */
export class ImportRun {
  readonly document: EntityDocument
  /** New author versions. */
  readonly added = new Map<string, number>()
  readonly #refused: Map<LogLine, Reason>
  readonly #mode: ImportMode
  readonly #heard: Map<string, number>
  /** Waiting lines by an author on whose changes they depend. */
  readonly #blocked = new Map<string, Set<UpdateLine>>()
  readonly #queue: UpdateLine[] = []

  constructor(document: EntityDocument, refused: Map<LogLine, Reason>, mode: ImportMode) {
    this.document = document
    this.#refused = refused
    this.#mode = mode
    this.#heard = document.heard()
    if (mode === 'together') document.putOff()
  }

  get waiting(): readonly LogLine[] {
    return [...new Set([...this.#blocked.values()].flatMap((lines) => [...lines]))]
  }

  /** Those that nothing was made of before the run ended. */
  get untried(): readonly LogLine[] {
    return [...this.#queue, ...this.waiting]
  }

  /** False if a refused line has modified the document. */
  *importAll(lines: readonly LogLine[]): Generator<void, boolean> {
    for (const line of lines) if ('update' in line) this.#queue.push(line)
    for (let line = this.#queue.shift(); line !== undefined; line = this.#queue.shift()) {
      const { ready, missing } = findReady(line.update, this.#heard)
      if (missing !== undefined) this.#block(missing, line)
      if (ready.length === 0) continue
      if (!this.#hasRoomFor(line, ready)) {
        this.#refuse(line, 'document_full')
        continue
      }
      const isClean = yield* this.#importChanges(line, ready)
      if (!isClean) return false
    }
    return true
  }

  *#importChanges(line: UpdateLine, changes: readonly JsonChange[]): Generator<void, boolean> {
    const before = this.document.size()
    try {
      for (let at = 0; at < changes.length; at += BATCH_SIZE) {
        if (at > 0) yield
        const part = { ...line.update, changes: changes.slice(at, at + BATCH_SIZE) }
        this.#note(this.document.import(part))
      }
      if (this.#mode === 'checked') {
        this.document.read()
        this.document.toBytes()
      }
      return true
    } catch {
      this.#refuse(line, this.document.isLost ? 'engine_fault' : 'refused')
      if (this.document.isLost) return false
      const after = this.document.size()
      return after.changes === before.changes && after.operations === before.operations
    }
  }

  #note(added: VersionMap): void {
    for (const [peer, end] of added) {
      this.added.set(peer, end)
      this.#heard.set(peer, Math.max(this.#heard.get(peer) ?? 0, end))
      const freed = this.#blocked.get(peer)
      if (freed === undefined) continue
      this.#blocked.delete(peer)
      this.#queue.push(...freed)
    }
  }

  #block(peer: string, line: UpdateLine): void {
    const lines = this.#blocked.get(peer) ?? new Set()
    this.#blocked.set(peer, lines.add(line))
  }

  #refuse(line: UpdateLine, reason: Reason): void {
    this.#refused.set(line, reason)
    for (const lines of this.#blocked.values()) lines.delete(line)
  }

  #hasRoomFor({ text, update }: UpdateLine, ready: readonly JsonChange[]): boolean {
    const { changes, operations } = this.document.size()
    if (changes + ready.length > DOCUMENT_LIMITS.changes) return false
    if (operations + text.length > DOCUMENT_LIMITS.operations) return false
    if (operations <= DOCUMENT_LIMITS.beside) return true
    const deps = ready[0]?.deps.map((dep) => toOpId(update.peers, dep)) ?? []
    return this.document.countBeside(deps) <= DOCUMENT_LIMITS.beside
  }
}

interface Readiness {
  /** New changes whose dependencies are present. */
  readonly ready: readonly JsonChange[]
  /** An author on whose changes the rest depends; undefined if there is no rest. */
  readonly missing: string | undefined
}

/**
 * The engine would buffer changes with missing dependencies inside the document; if they turn out to be invalid later,
 * an unrelated import fails.
 */
function findReady({ peers, changes }: JsonUpdate, heard: VersionMap): Readiness {
  const ready: JsonChange[] = []
  const news = new Map<string, number>()
  const endOf = (peer: string): number => news.get(peer) ?? heard.get(peer) ?? 0
  let missing: string | undefined
  for (const change of changes) {
    const [peer, counter] = toOpId(peers, change.id)
    const end = counter + change.ops.reduce((length, op) => length + lengthOf(op), 0)
    if (end <= endOf(peer)) continue
    const needed = change.deps
      .map((dep) => toOpId(peers, dep))
      .find(([dep, at]) => at >= endOf(dep))
    if (needed !== undefined || counter > endOf(peer)) missing ??= needed?.[0] ?? peer
    else {
      ready.push(change)
      news.set(peer, end)
    }
  }
  return { ready, missing }
}

/** In an update authors are named by their place in a list. */
function toOpId(peers: JsonUpdate['peers'], id: string): readonly [peer: string, counter: number] {
  const [counter = '', place = ''] = id.split('@')
  return [peers?.[Number(place)] ?? place, Number(counter)]
}
