import { connectInMemory, createServer, resourceNotFound } from '@waymark/baton'
import type { Server } from '@waymark/baton'
import { expect, test } from 'vitest'
import { MODERN_META } from '../support/sample-server.ts'

function createLibrary(): Server {
  return createServer({ name: 'library', version: '1' })
    .resource({
      uri: 'book://index',
      name: 'Index',
      mimeType: 'text/plain',
      read: () => ({ text: 'a, b' }),
    })
    .resource({
      uri: 'book://cover',
      name: 'Cover',
      read: (uri) => ({ contents: [{ uri, blob: 'AAAA' }], ttlMs: 60_000, cacheScope: 'public' }),
    })
    .resourceTemplate({
      uriTemplate: 'book://{title}/page/{number}',
      name: 'Page',
      mimeType: 'text/plain',
      read(uri, { title, number }) {
        if (number === '13') throw resourceNotFound(uri)
        return { text: `${title} ${number}` }
      },
    })
}

test('fixed resources and templates are listed separately', async () => {
  const client = connectInMemory(createLibrary())
  const { result: resources } = await client.request('resources/list')
  expect(resources).toEqual({
    resources: [
      { uri: 'book://index', name: 'Index', mimeType: 'text/plain' },
      { uri: 'book://cover', name: 'Cover' },
    ],
  })
  const { result: templates } = await client.request('resources/templates/list')
  expect(templates).toEqual({
    resourceTemplates: [
      { uriTemplate: 'book://{title}/page/{number}', name: 'Page', mimeType: 'text/plain' },
    ],
  })
})

test('reading gives the contents with their URI and type', async () => {
  const client = connectInMemory(createLibrary())
  const fixed = await client.request('resources/read', { uri: 'book://index' })
  expect(fixed['result']).toEqual({
    contents: [{ uri: 'book://index', mimeType: 'text/plain', text: 'a, b' }],
  })
  const page = await client.request('resources/read', { uri: 'book://Mo%20by/page/7' })
  expect(page['result']).toMatchObject({ contents: [{ text: 'Mo by 7' }] })
})

test('a URI without a template or resource is not found', async () => {
  const client = connectInMemory(createLibrary())
  for (const uri of ['book://x/page/', 'book://x/page/13', 'book://a/b/page/1', 'nonsense']) {
    const { error } = await client.request('resources/read', { uri })
    expect(error).toMatchObject({ code: -32002, data: { uri } })
  }
})

test('cache hints are sent to modern clients, the ones of the resource first', async () => {
  const client = connectInMemory(createLibrary())
  const own = { uri: 'book://cover', _meta: MODERN_META }
  const modern = await client.request('resources/read', own)
  expect(modern['result']).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' })
  const legacy = await client.request('resources/read', { uri: 'book://cover' })
  expect(legacy['result']).toEqual({ contents: [{ uri: 'book://cover', blob: 'AAAA' }] })
  const general = { uri: 'book://index', _meta: MODERN_META }
  const plain = await client.request('resources/read', general)
  expect(plain['result']).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
})

test('the variables of a template have the names in it', () => {
  const server = createServer({ name: 'types', version: '1' })
  const read = (text: string) => ({ text })
  server.resourceTemplate({
    uriTemplate: 'a://{x}/{+y}#{#z}',
    name: 'all',
    read: (_uri, { x, y, z }) => read(x + y + z),
  })
  server.resourceTemplate({
    uriTemplate: 'b://{x}',
    name: 'one',
    // @ts-expect-error the template has no such variable
    read: (_uri, { id }) => read(id),
  })
  const uriTemplate: string = 'c://{x}'
  server.resourceTemplate({ uriTemplate, name: 'any', read: (_uri, { x = '' }) => read(x) })
})

test('a duplicate definition is refused', () => {
  const server = createLibrary()
  const again = { uri: 'book://index', name: 'Again', read: () => ({ text: '' }) }
  expect(() => server.resource(again)).toThrow('resource book://index is defined twice')
})
