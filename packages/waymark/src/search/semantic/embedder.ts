/** Turns texts into vectors that lie close together when the texts mean much the same. */
export interface Embedder {
  /** Kept beside every vector: those of one model say nothing to another. */
  readonly model: string
  /** It compares spelling rather than meaning, and every answer says so. */
  readonly isApproximate: boolean
  /** Texts less similar than this have nothing to do with each other; 0 to 1. */
  readonly threshold: number
  /** How many texts may be embedded synchronously during a search. */
  readonly whileWaiting: number
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>
  /** How well each text answers a query, where there is a model for that too. */
  rerank?(query: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]>
}

/** Makes the length 1, so that the similarity of two vectors is their dot product. */
export function normalise(vector: Float32Array): Float32Array {
  let sum = 0
  for (const value of vector) sum += value * value
  const length = Math.sqrt(sum)
  return length === 0 ? vector : vector.map((value) => value / length)
}
