import { connectInMemory } from '@waymark/baton'
import type { MemoryClient } from '@waymark/baton'
import { expect, test } from 'vitest'
import { createSampleServer } from '../support/sample-server.ts'
import { openStdio } from '../support/stdio-client.ts'

const PING = { jsonrpc: '2.0', id: 'ping', method: 'ping' }
const WAIT = { jsonrpc: '2.0', id: 'wait', method: 'tools/call', params: { name: 'wait' } }

async function connect(protocolVersion: string): Promise<MemoryClient> {
  const client = connectInMemory(createSampleServer())
  await client.request('initialize', { protocolVersion, capabilities: {} })
  return client
}

test.each(['2024-11-05', '2025-06-18', '2025-11-25'])(
  '%s does not support batches',
  async (version) => {
    const client = await connect(version)
    client.send([PING])
    expect(client.received.at(-1)).toMatchObject({ id: null, error: { code: -32600 } })
  },
)

test('the responses to a batch are one frame', async () => {
  const client = openStdio(createSampleServer())
  const params = { protocolVersion: '2025-03-26', capabilities: {} }
  client.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })}\n`)
  client.write(
    `${JSON.stringify([PING, { ...PING, id: 2 }, { jsonrpc: '2.0', method: 'x' }, 7])}\n`,
  )
  await client.end()
  expect(client.lines).toHaveLength(2)
  expect(JSON.parse(client.lines[1] ?? '')).toEqual(
    expect.arrayContaining([
      { jsonrpc: '2.0', id: 'ping', result: {} },
      { jsonrpc: '2.0', id: 2, result: {} },
      expect.objectContaining({ id: null }),
    ]),
  )
})

test('a batch of only notifications is not answered', async () => {
  const client = await connect('2025-03-26')
  client.send([{ jsonrpc: '2.0', method: 'notifications/initialized' }])
  await client.drained()
  expect(client.received).toHaveLength(1)
})

test('an empty batch is invalid', async () => {
  const client = await connect('2025-03-26')
  client.send('[]')
  expect(client.received.at(-1)).toMatchObject({ id: null, error: { code: -32600 } })
})

test('a cancelled request does not delay the others of its batch', async () => {
  const client = await connect('2025-03-26')
  client.send([PING, WAIT])
  await client.request('ping')
  client.notify('notifications/cancelled', { requestId: 'wait' })
  expect(await client.next((message) => message['id'] === 'ping')).toHaveProperty('result', {})
})

test('initialize must not be part of a batch', async () => {
  const client = await connect('2025-03-26')
  const params = { protocolVersion: '2025-11-25', capabilities: {} }
  client.send([{ jsonrpc: '2.0', id: 5, method: 'initialize', params }, PING])
  const refused = await client.next((message) => message['id'] === 5)
  expect(refused).toHaveProperty('error.code', -32600)
})
