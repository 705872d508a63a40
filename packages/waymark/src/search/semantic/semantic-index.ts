import type { Store } from '../../core/store/store.ts'
import type { Unembedded, VectorRow } from './store.ts'
import type { Embedder } from './embedder.ts'

const BATCH = 32
const READ_AT_ONCE = 2_000

export interface Similar {
  /** Id of the document. */
  readonly id: number
  /** From -1 to 1. */
  readonly score: number
}

export interface SimilarQuery {
  readonly threshold: number
  /** Only these documents; all when absent. */
  readonly among?: ReadonlySet<number> | undefined
}

interface Call {
  readonly store: Store
  readonly signal: AbortSignal
}

/**
 * The vectors of one model, read once and then kept up to date: comparing a text with 10,000 of them takes a few
 * milliseconds, reading them takes many more.
 */
export class SemanticIndex {
  readonly embedder: Embedder
  readonly #vectors = new Map<number, Float32Array>()
  #readUpTo = 0

  constructor(embedder: Embedder) {
    this.embedder = embedder
  }

  /** All documents that are similar enough to a text, best first. Fails if the model does. */
  async search({ store, signal }: Call, text: string, query: SimilarQuery): Promise<Similar[]> {
    const [wanted] = await this.embedder.embed([text], signal)
    if (wanted === undefined) return []
    await this.#follow(store)
    const similar: Similar[] = []
    for (const [id, vector] of this.#vectors) {
      if (query.among?.has(id) === false) continue
      const score = similarity(wanted, vector)
      if (score >= query.threshold) similar.push({ id, score })
    }
    return similar.toSorted((a, b) => b.score - a.score || b.id - a.id)
  }

  /** Embeds what is new, at most this many texts. Answers how many still wait. */
  async catchUp(
    { store, signal }: Call,
    limit: number,
    advance?: (done: number) => void,
  ): Promise<number> {
    const { model } = this.embedder
    let done = 0
    for (let left = limit; left > 0; left -= BATCH) {
      signal.throwIfAborted()
      const texts = await store.vectors.unembedded(model, Math.min(BATCH, left))
      const last = texts.at(-1)
      if (last === undefined) return 0
      const unknown = texts.filter(({ isKnown }) => !isKnown)
      const embedded = await this.#embed(unknown, signal)
      await store.write(async (tx) => {
        for (const [text, vector] of embedded) await tx.vectors.put(model, text, vector)
        await tx.vectors.advance(model, last.position)
      })
      advance?.((done += texts.length))
    }
    return await store.vectors.pending(model)
  }

  /** If a batch fails, its texts are embedded one by one, so that one bad text does not block the others. */
  async #embed(
    texts: readonly Unembedded[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Unembedded, Float32Array>> {
    const embedded = new Map<Unembedded, Float32Array>()
    const embed = async (some: readonly Unembedded[]): Promise<void> => {
      const vectors = await this.embedder.embed(
        some.map(({ text }) => text),
        signal,
      )
      for (const [index, vector] of vectors.entries()) {
        const text = some[index]
        if (text !== undefined) embedded.set(text, vector)
      }
    }
    if (texts.length === 0) return embedded
    try {
      await embed(texts)
    } catch (error) {
      for (const text of texts) await embed([text]).catch(() => {})
      if (embedded.size === 0) throw error
    }
    return embedded
  }

  /** Loads new vectors and drops deleted ones. Afterwards any surplus over the store is stale. */
  async #follow(store: Store): Promise<void> {
    const { model } = this.embedder
    const count = await store.vectors.count(model)
    await this.#readOn(store)
    if (this.#vectors.size <= count) return
    const present = new Set(await store.vectors.documentIds(model))
    for (const id of this.#vectors.keys()) if (!present.has(id)) this.#vectors.delete(id)
  }

  async #readOn(store: Store): Promise<void> {
    for (;;) {
      const rows: VectorRow[] = await store.vectors.after(
        this.embedder.model,
        this.#readUpTo,
        READ_AT_ONCE,
      )
      for (const { id, documentId, vector } of rows) {
        this.#vectors.set(documentId, vector)
        this.#readUpTo = id
      }
      if (rows.length < READ_AT_ONCE) return
    }
  }
}

/** Both have length 1. Vectors of different sizes come from a model that was replaced under its old name. */
function similarity(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return -1
  let sum = 0
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
