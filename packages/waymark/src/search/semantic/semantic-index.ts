import type { ReadStore, Store } from '../../core/store/store.ts'
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
  /** Vectors that are not stored yet. */
  readonly unstored?: NewVectors
}

/** Texts in the order of the queue, and their vectors as far as the model made any. */
export interface NewVectors {
  readonly texts: readonly Unembedded[]
  readonly vectors: ReadonlyMap<Unembedded, Float32Array>
}

interface Call {
  readonly store: ReadStore
  readonly signal: AbortSignal
}

/**
 * The vectors of one model, read once and then kept up to date: comparing a text with 10,000 of them takes a few
 * milliseconds, reading them takes many more.
 */
export class SemanticIndex {
  readonly embedder: Embedder
  readonly #vectors = new Map<number, Float32Array>()
  /** Vectors of the last `embedNew`, by document: kept until they are stored, which read-only mode never does. */
  #unstored = new Map<number, { readonly textHash: string; readonly vector: Float32Array }>()
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
    for (const [id, vector] of withUnstored(this.#vectors, query.unstored)) {
      if (query.among?.has(id) === false) continue
      const score = similarity(wanted, vector)
      if (score >= query.threshold) similar.push({ id, score })
    }
    return similar.toSorted((a, b) => b.score - a.score || b.id - a.id)
  }

  /** Embeds new texts in memory, at most `limit`: a search finds them before `save` has stored them. */
  async embedNew({ store, signal }: Call, limit: number): Promise<NewVectors> {
    const texts = limit === 0 ? [] : await store.vectors.unembedded(this.embedder.model, limit)
    const vectors = new Map<Unembedded, Float32Array>()
    for (let at = 0; at < texts.length; at += BATCH) {
      signal.throwIfAborted()
      const unknown: Unembedded[] = []
      for (const text of texts.slice(at, at + BATCH).filter(({ isKnown }) => !isKnown)) {
        const made = this.#unstored.get(text.documentId)
        if (made?.textHash === text.textHash) vectors.set(text, made.vector)
        else unknown.push(text)
      }
      for (const [text, vector] of await this.#embed(unknown, signal)) vectors.set(text, vector)
    }
    if (limit > 0) {
      this.#unstored = new Map(
        [...vectors].map(([{ documentId, textHash }, vector]) => [
          documentId,
          { textHash, vector },
        ]),
      )
    }
    return { texts, vectors }
  }

  /** Stores vectors in short transactions, so that other writers are not blocked for long. */
  async save(store: Store, { texts, vectors }: NewVectors): Promise<void> {
    const { model } = this.embedder
    for (let at = 0; at < texts.length; at += BATCH) {
      const batch = texts.slice(at, at + BATCH)
      await store.write(async (tx) => {
        for (const text of batch) {
          const vector = vectors.get(text)
          if (vector !== undefined) await tx.vectors.put(model, text, vector)
        }
        await tx.vectors.advance(model, batch.at(-1)?.position ?? 0)
      })
    }
  }

  /** Embeds and stores new texts, at most `limit`. Returns how many still wait. */
  async catchUp(
    { store, signal }: { readonly store: Store; readonly signal: AbortSignal },
    limit: number,
    advance?: (done: number) => void,
  ): Promise<number> {
    let done = 0
    for (let left = limit; left > 0; left -= BATCH) {
      const made = await this.embedNew({ store, signal }, Math.min(BATCH, left))
      if (made.texts.length === 0) return 0
      await this.save(store, made)
      advance?.((done += made.texts.length))
    }
    return await store.vectors.pending(this.embedder.model)
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
  async #follow(store: ReadStore): Promise<void> {
    const { model } = this.embedder
    const count = await store.vectors.count(model)
    await this.#readOn(store)
    if (this.#vectors.size <= count) return
    const present = new Set(await store.vectors.documentIds(model))
    for (const id of this.#vectors.keys()) if (!present.has(id)) this.#vectors.delete(id)
  }

  async #readOn(store: ReadStore): Promise<void> {
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

/** The stored vectors, except those of texts that have changed since, and the new ones. */
function withUnstored(
  stored: ReadonlyMap<number, Float32Array>,
  unstored: NewVectors | undefined,
): ReadonlyMap<number, Float32Array> {
  if (unstored === undefined || unstored.texts.length === 0) return stored
  const all = new Map(stored)
  for (const text of unstored.texts) {
    const vector = unstored.vectors.get(text)
    if (vector !== undefined) all.set(text.documentId, vector)
    else if (!text.isKnown) all.delete(text.documentId)
  }
  return all
}

/** Both have length 1. Vectors of different sizes come from a model that was replaced under its old name. */
function similarity(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return -1
  let sum = 0
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
