import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/core/project/config.ts'
import { createEndpointEmbedder } from '../../src/search/semantic/endpoint.ts'
import { createEmbedder } from '../../src/search/semantic/settings.ts'
import { SUBWORD } from '../../src/search/semantic/subword.ts'
import { startEndpoint } from './endpoint.ts'

const signal = new AbortController().signal
const dot = (a: Float32Array, b: Float32Array) =>
  a.reduce((sum, x, at) => sum + x * (b[at] ?? 0), 0)

describe('the local model', () => {
  const similarity = async (a: string, b: string) => {
    const [first, second] = await SUBWORD.embed([a, b], signal)
    return dot(first ?? new Float32Array(), second ?? new Float32Array())
  }

  it('says that it is approximate', () => {
    expect(SUBWORD).toMatchObject({ isApproximate: true, model: 'local-subword-1' })
  })

  it('the same text is the same vector of length 1, always', async () => {
    expect(await similarity('Use SQLite', 'Use SQLite')).toBeCloseTo(1)
  })

  it.each([
    ['authentication of users', 'authenticating a user', 'painting the kitchen'],
    ['databse migraton', 'database migration', 'weekly meeting'],
    ['getUserById', 'user id lookup', 'colour palette'],
  ])('%s is nearer to %s than to %s', async (text, near, far) => {
    expect(await similarity(text, near)).toBeGreaterThan(SUBWORD.threshold)
    expect(await similarity(text, near)).toBeGreaterThan(2 * (await similarity(text, far)))
  })

  it('text without words has no direction', async () => {
    expect(await similarity('', 'anything')).toBe(0)
  })
})

describe('a model behind an address', () => {
  it('is asked as OpenAI’s would be, and its vectors come back in order [embedders-asked-openai]', async () => {
    await using endpoint = await startEndpoint()
    const embedder = createEndpointEmbedder({ url: endpoint.url, model: 'm1', key: 'secret' })
    const vectors = await embedder.embed(['postgres', 'a login form'], signal)
    expect(endpoint.requests).toEqual([
      {
        path: '/v1/embeddings',
        authorization: 'Bearer secret',
        model: 'm1',
        input: ['postgres', 'a login form'],
      },
    ])
    expect(vectors.map((vector) => vector.indexOf(Math.max(...vector)))).toEqual([0, 1])
  })

  it.each([
    ['an error', 500],
    ['a redirect, which would take the key elsewhere', 307],
    ['something that is not JSON', 'oops'],
    ['no vectors', '{"data":[]}'],
    ['too few vectors', '{"data":[{"index":0,"embedding":[1,2]}]}'],
    ['vectors of different sizes', '{"data":[{"embedding":[1,2]},{"embedding":[1]}]}'],
    ['vectors of words', '{"data":[{"embedding":["a"]},{"embedding":["b"]}]}'],
  ])('fails on %s', async (_, answer) => {
    await using endpoint = await startEndpoint()
    endpoint.breakWith(answer)
    const embedder = createEndpointEmbedder({ url: endpoint.url, model: 'm1' })
    await expect(embedder.embed(['a', 'b'], signal)).rejects.toThrow()
    expect(endpoint.requests).toHaveLength(1)
  })

  it('gets its own key, which a reranker elsewhere does not [embedders-key-elsewhere]', async () => {
    await using here = await startEndpoint()
    await using elsewhere = await startEndpoint()
    const sentTo = async (rerank: string, own: object) => {
      const env = {
        WAYMARK_EMBEDDING_URL: here.url,
        WAYMARK_EMBEDDING_MODEL: 'm1',
        WAYMARK_EMBEDDING_KEY: 'secret',
        WAYMARK_RERANK_URL: rerank,
        WAYMARK_RERANK_MODEL: 'm2',
        ...own,
      }
      const embedder = createEmbedder(loadConfig(undefined, env).embedding, env)
      await embedder.rerank?.('query', ['a text'], signal)
      return [...here.requests, ...elsewhere.requests].at(-1)?.authorization
    }
    expect(await sentTo(here.url, {})).toBe('Bearer secret')
    expect(await sentTo(elsewhere.url, {})).toBeUndefined()
    expect(await sentTo(elsewhere.url, { WAYMARK_RERANK_KEY: 'other' })).toBe('Bearer other')
  })

  it('gives up when the caller does', async () => {
    await using endpoint = await startEndpoint()
    const embedder = createEndpointEmbedder({ url: endpoint.url, model: 'm1' })
    await expect(embedder.embed(['a'], AbortSignal.abort())).rejects.toThrow()
  })
})

describe('settings', () => {
  const REMOTE = { url: 'https://models.example/v1', model: 'm' }

  it('without any, the local model is used', () => {
    expect(createEmbedder(loadConfig(undefined, {}).embedding, {})).toBe(SUBWORD)
  })

  it('the environment may name any address, and the variable that holds the key', () => {
    const env = {
      WAYMARK_EMBEDDING_URL: REMOTE.url,
      WAYMARK_EMBEDDING_MODEL: 'm',
      WAYMARK_EMBEDDING_KEY_VARIABLE: 'MY_KEY',
      MY_KEY: 'secret',
    }
    const { embedding } = loadConfig(undefined, env)
    expect(embedding).toEqual({ ...REMOTE, keyVariable: 'MY_KEY' })
    expect(JSON.stringify(loadConfig(undefined, env))).not.toContain('secret')
  })
})
