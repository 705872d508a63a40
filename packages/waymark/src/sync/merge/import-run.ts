import { type EntityDocument, lengthOf, type VersionMap } from '../document/document.ts'
import { DOCUMENT_LIMITS, type Reason } from '../log/limits.ts'
import type { LogLine, UpdateLine } from '../log/log-line.ts'
import type { JsonChange, JsonUpdate } from '../document/loro.ts'

/**
 * `each`: the document says what a line adds as soon as it is imported, and a line that makes no sense fails alone.
 * `together`: that is put off until all are imported, which takes a fraction of the time for long texts.
 * `checked`: like `each`, and after each line the document is read and written as a trial.
 */
export type ImportMode = 'each' | 'together' | 'checked'

/** So many changes are handed to the engine at once; it takes longer for each, the more there are. */
const BATCH_SIZE = 250

/** One pass over lines, with one document. */
export class ImportRun {
  readonly document: EntityDocument
  /** How far authors have been heard, as far as that was news. */
  readonly added = new Map<string, number>()
  readonly #refused: Map<LogLine, Reason>
  readonly #mode: ImportMode
  readonly #heard: Map<string, number>
  /** Lines by an author of whom they need more. */
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

  /** False when a line has left its mark on the document though it was refused. */
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
  /** Changes that are news and have all that they build on. */
  readonly ready: readonly JsonChange[]
  /** An author of whom the rest needs more; undefined when there is no rest. */
  readonly missing: string | undefined
}

/**
 * The engine would keep what is not ready inside the document, where it makes the import of something else fail once it
 * becomes ready and turns out to be nonsense.
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
