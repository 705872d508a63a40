import { once } from 'node:events'
import { request as ask } from 'node:http'
import { createHttpApp, createSecretAuthenticator, type HttpEndpoint } from '@waymark/baton/http'
import { listenHandler } from '@waymark/baton/node'
import { describe, expect, it, vi } from 'vitest'

const SECRET = 'k3VYd5g0Yb1mJr8pQz7uWx2nTa6sLc4e'
const PIECE = Buffer.alloc(100_000, 'x')

/** How many pieces have been taken, and whether the source was closed. */
interface Source {
  taken: number
  isClosed: boolean
}

async function* pieces(source: Source, count: number): AsyncGenerator<Uint8Array> {
  try {
    for (; source.taken < count; source.taken += 1) yield PIECE
  } finally {
    source.isClosed = true
  }
}

function endpointsOf(source: Source): Readonly<Record<string, HttpEndpoint>> {
  return {
    '/count': {
      serve: async ({ request, reply }) => {
        let bytes = 0
        for await (const chunk of request.streamBody()) bytes += chunk.length
        reply.send({ status: 200, body: String(bytes) })
      },
    },
    '/first': {
      serve: async ({ request, reply }) => {
        for await (const chunk of request.streamBody()) {
          return reply.send({ status: 413, body: String(chunk.length > 0) })
        }
      },
    },
    '/many': {
      serve: async ({ reply }) => reply.send({ status: 200, body: pieces(source, 30) }),
    },
    '/endless': {
      serve: async ({ reply }) => reply.send({ status: 200, body: pieces(source, Infinity) }),
    },
    '/broken': {
      serve: async ({ reply }) => {
        async function* broken() {
          yield PIECE
          throw new Error('the disk is gone')
        }
        const headers = { 'content-length': String(PIECE.length * 2) }
        reply.send({ status: 200, headers, body: broken() })
      },
    },
    '/head': {
      serve: async ({ reply }) => reply.send({ status: 200, headers: { 'content-length': '7' } }),
    },
  }
}

async function setup() {
  const source: Source = { taken: 0, isClosed: false }
  const endpoints = endpointsOf(source)
  const create = (allowedHosts: readonly string[]) =>
    createHttpApp({
      authenticator: createSecretAuthenticator(SECRET),
      allowedHosts,
      find: ({ path }) => endpoints[path],
    })
  const listener = await listenHandler({ graceMs: 0 }, ({ allowedHosts }) => create(allowedHosts))
  return { source, site: create(['localhost']), listener }
}

const headers = { authorization: `Bearer ${SECRET}` }

describe.each(['node', 'fetch'] as const)('bytes through %s', (adapter) => {
  async function open() {
    const { source, site, listener } = await setup()
    const origin = adapter === 'node' ? `http://127.0.0.1:${listener.port}` : 'http://localhost'
    const send = (path: string, init: RequestInit = {}): Promise<Response> => {
      const request = new Request(`${origin}${path}`, { headers, ...init })
      return adapter === 'node' ? fetch(request) : site.fetch(request)
    }
    return { source, send, [Symbol.asyncDispose]: () => listener.close() }
  }

  it('are received as a stream', async () => {
    await using server = await open()
    const body = Buffer.alloc(3_000_000)
    const response = await server.send('/count', { method: 'POST', body })
    expect(await response.text()).toBe('3000000')
  })

  it('are sent as a stream', async () => {
    await using server = await open()
    const response = await server.send('/many')
    expect((await response.arrayBuffer()).byteLength).toBe(30 * PIECE.length)
    expect(server.source.isClosed).toBe(true)
  })

  it('are no longer produced after the client disconnected', async () => {
    await using server = await open()
    const response = await server.send('/endless')
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await vi.waitFor(() => expect(server.source.isClosed).toBe(true), { timeout: 30_000 })
  })

  it('that end too early are an error for the reader', async () => {
    await using server = await open()
    const response = await server.send('/broken')
    await expect(response.arrayBuffer()).rejects.toThrow()
  })

  it('have a content length of zero when there are none', async () => {
    await using server = await open()
    const response = await server.send('/head', { method: 'HEAD' })
    expect(response.headers.get('content-length')).toBe('7')
  })
})

it('a body that is refused early still gets its response', async () => {
  const { listener } = await setup()
  const request = ask({ port: listener.port, path: '/first', method: 'POST', headers })
  request.on('error', () => {})
  request.write(PIECE)
  const [response] = (await once(request, 'response')) as [
    NodeJS.ReadableStream & { statusCode: number },
  ]
  expect(response.statusCode).toBe(413)
  request.destroy()
  await listener.close()
})
