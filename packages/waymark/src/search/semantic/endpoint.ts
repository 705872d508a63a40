import { withDeadline } from '../../support/deadline.ts'
import { type Embedder, normalise } from './embedder.ts'
import { withoutEnd } from '../../support/text/without-end.ts'

export interface EndpointOptions {
  /** Base address of an API in the form of OpenAI's, such as `http://localhost:11434/v1`. */
  readonly url: string
  readonly model: string
  readonly key?: string | undefined
  /** The address and the model that put the best results in order. */
  readonly rerank?:
    | { readonly url: string; readonly model: string; readonly key?: string | undefined }
    | undefined
}

const TIMEOUT_MS = 20_000
const LARGEST_ANSWER = 64 * 1024 * 1024
/** More than any model of this kind reads; what is beyond it would only be paid for. */
const LONGEST_TEXT = 8_000

/** A model behind a web address that the user has named: Ollama, llama.cpp, vLLM, OpenAI and the like. */
export function createEndpointEmbedder({ url, model, key, rerank }: EndpointOptions): Embedder {
  const cut = (text: string): string => text.slice(0, LONGEST_TEXT)
  return {
    model,
    isApproximate: false,
    threshold: 0.3,
    whileWaiting: 0,
    async embed(texts, signal) {
      const body = { model, input: texts.map(cut) }
      return toVectors(
        await post(`${withoutEnd(url, '/')}/embeddings`, { key, body, signal }),
        texts.length,
      )
    },
    ...(rerank !== undefined && {
      async rerank(query: string, texts: readonly string[], signal: AbortSignal) {
        const body = { model: rerank.model, query: cut(query), documents: texts.map(cut) }
        return toScores(
          await post(`${withoutEnd(rerank.url, '/')}/rerank`, { key: rerank.key, body, signal }),
          texts.length,
        )
      },
    }),
  }
}

interface Posted {
  readonly key: string | undefined
  readonly body: object
  readonly signal: AbortSignal
}

async function post(address: string, { key, body, signal }: Posted): Promise<unknown> {
  using deadline = withDeadline(TIMEOUT_MS, signal)
  const response = await fetch(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
    // The key and the texts are meant for this address and no other.
    redirect: 'error',
    signal: deadline.signal,
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new Error(`the embedding endpoint answered ${response.status}`)
  }
  return await readJson(response)
}

function toScores(answer: unknown, expected: number): readonly number[] {
  const items = isRecord(answer) && Array.isArray(answer['results']) ? answer['results'] : []
  const scores = Array.from({ length: expected }, () => Number.NEGATIVE_INFINITY)
  for (const item of items as unknown[]) {
    const { index, relevance_score: score } = isRecord(item) ? item : {}
    if (typeof index === 'number' && index in scores && typeof score === 'number') {
      scores[index] = score
    }
  }
  if (scores.every((score) => score === Number.NEGATIVE_INFINITY)) {
    throw new Error('the rerank endpoint sent no usable scores')
  }
  return scores
}

async function readJson(response: Response): Promise<unknown> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > LARGEST_ANSWER) throw new Error('the embedding endpoint sent too much')
    text += decoder.decode(chunk, { stream: true })
  }
  return JSON.parse(text + decoder.decode())
}

function toVectors(answer: unknown, expected: number): readonly Float32Array[] {
  const items = isRecord(answer) && Array.isArray(answer['data']) ? answer['data'] : []
  const vectors: Float32Array[] = []
  for (const [position, item] of (items as unknown[]).entries()) {
    const { index = position, embedding } = isRecord(item) ? item : {}
    if (typeof index === 'number') vectors[index] = toVector(embedding)
  }
  const size = vectors[0]?.length ?? 0
  const isComplete =
    vectors.length === expected && Array.from(vectors).every((vector) => vector?.length === size)
  if (!isComplete || size === 0) throw new Error('the embedding endpoint sent no usable vectors')
  return vectors
}

function toVector(value: unknown): Float32Array {
  const isVector = Array.isArray(value) && value.every((entry) => Number.isFinite(entry))
  return isVector ? normalise(Float32Array.from(value as number[])) : new Float32Array(0)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
