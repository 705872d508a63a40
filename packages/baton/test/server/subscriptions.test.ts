import { connectInMemory, createServer } from '@waymark/baton'
import type { MemoryClient, ServerHandler } from '@waymark/baton'
import { expect, test } from 'vitest'
import { MODERN_META } from '../support/sample-server.ts'
import { openStdio } from '../support/stdio-client.ts'

function setup(extra: ServerHandler = {}) {
  const handler: ServerHandler = {
    listTools: () => [],
    callTool: () => ({}),
    readResource: (uri) => ({ contents: [{ uri, text: '' }] }),
    ...extra,
  }
  const server = createServer({
    name: 'watched',
    version: '1',
    handler,
    limits: { subscriptions: 3 },
  })
  return { server, client: connectInMemory(server) }
}

async function initialize(client: MemoryClient): Promise<void> {
  await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} })
  client.notify('notifications/initialized')
}

function listen(id: string, notifications: object): object {
  const params = { notifications, _meta: MODERN_META }
  return { jsonrpc: '2.0', id, method: 'subscriptions/listen', params }
}

const isNotification = (message: object): boolean => !('id' in message)

test('a legacy client is notified of its subscribed resources', async () => {
  const { server, client } = setup()
  await initialize(client)
  await client.request('resources/subscribe', { uri: 'a://1' })
  server.notify.resourceUpdated('a://1')
  server.notify.resourceUpdated('a://2')
  await client.request('resources/unsubscribe', { uri: 'a://1' })
  server.notify.resourceUpdated('a://1')
  expect(client.received.filter(isNotification)).toEqual([
    { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'a://1' } },
  ])
})

test('resourcesUpdated asks only for subscribed resources', async () => {
  const { server, client } = setup()
  const asked: string[] = []
  const isUpdated = (uri: string): boolean => {
    asked.push(uri)
    return uri !== 'a://2'
  }
  server.notify.resourcesUpdated(isUpdated)
  await initialize(client)
  for (const uri of ['a://1', 'a://2']) await client.request('resources/subscribe', { uri })
  client.send(listen('s1', { resourceSubscriptions: ['a://1', 'a://3'] }))
  await client.next(isNotification)
  server.notify.resourcesUpdated(isUpdated)
  client.close()
  server.notify.resourcesUpdated(isUpdated)
  expect(asked.toSorted()).toEqual(['a://1', 'a://2', 'a://3'])
  const _meta = { 'io.modelcontextprotocol/subscriptionId': 's1' }
  expect(client.received.filter(isNotification).slice(1)).toMatchObject([
    { params: { uri: 'a://1', _meta } },
    { params: { uri: 'a://1' } },
    { params: { uri: 'a://3', _meta } },
  ])
})

test('a legacy client is notified of changed lists once it is initialized', async () => {
  const { server, client } = setup()
  server.notify.toolsChanged()
  await initialize(client)
  server.notify.toolsChanged()
  expect(client.received.filter(isNotification)).toEqual([
    { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: {} },
  ])
})

test('a listen stream starts with the accepted filter and carries only its notifications', async () => {
  const { server, client } = setup()
  const asked = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourceSubscriptions: ['a://1'],
  }
  client.send(listen('s1', asked))
  await client.next(isNotification)
  server.notify.toolsChanged()
  server.notify.resourcesChanged()
  server.notify.resourceUpdated('a://1')
  server.notify.resourceUpdated('a://2')
  const _meta = { 'io.modelcontextprotocol/subscriptionId': 's1' }
  expect(client.received).toEqual([
    {
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: {
        notifications: { toolsListChanged: true, resourceSubscriptions: ['a://1'] },
        _meta,
      },
    },
    { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta } },
    { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'a://1', _meta } },
  ])
})

test('a cancelled listen stream ends and is not answered', async () => {
  const released: string[] = []
  const { server, client } = setup({ unsubscribe: (uri) => void released.push(uri) })
  client.send(listen('s1', { toolsListChanged: true, resourceSubscriptions: ['a://1'] }))
  await client.next(isNotification)
  client.notify('notifications/cancelled', { requestId: 's1' })
  server.notify.toolsChanged()
  await expect.poll(() => released).toEqual(['a://1'])
  expect(client.received).toHaveLength(1)
})

test('listen streams do not count as running requests', async () => {
  const server = createServer({ name: 'x', version: '1', limits: { concurrency: 1 } })
  const client = connectInMemory(server)
  for (const id of ['s1', 's2', 's3']) client.send(listen(id, {}))
  expect((await client.request('ping'))['result']).toEqual({})
  await client.drained()
})

test('a handler can refuse a subscription', async () => {
  const { client } = setup({
    subscribe(uri) {
      if (uri !== 'a://open') throw new Error('secret')
    },
  })
  client.send(listen('s1', { resourceSubscriptions: ['a://open', 'a://closed'] }))
  const acknowledged = await client.next(isNotification)
  expect(acknowledged).toHaveProperty('params.notifications', {
    resourceSubscriptions: ['a://open'],
  })
  await initialize(client)
  const refused = await client.request('resources/subscribe', { uri: 'a://closed' })
  expect(refused).toHaveProperty('error.code', -32603)
})

test('subscriptions have a limit in both eras', async () => {
  const { client } = setup()
  await initialize(client)
  const uris = ['a://1', 'a://2', 'a://3', 'a://4']
  const answers = []
  for (const uri of uris) answers.push(await client.request('resources/subscribe', { uri }))
  expect(answers.at(-1)).toHaveProperty('error.code', -32602)
  client.send(listen('s1', { resourceSubscriptions: uris }))
  expect(await client.next((message) => message['id'] === 's1')).toHaveProperty(
    'error.code',
    -32602,
  )
})

test('a server that shuts down ends its listen streams with a result', async () => {
  const server = createServer({ name: 'x', version: '1' }).tool({ name: 't', run: () => ({}) })
  const client = openStdio(server)
  client.write(`${JSON.stringify(listen('s1', { toolsListChanged: true }))}\n`)
  await client.untilLines(1)
  await client.handle.close()
  expect(client.messages().at(-1)).toMatchObject({
    id: 's1',
    result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 's1' } },
  })
})
