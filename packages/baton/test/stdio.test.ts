import { createServer } from '@waymark/baton'
import { expect, test } from 'vitest'
import { createSampleServer } from './support/sample-server.ts'
import { openStdio } from './support/stdio-client.ts'

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

test('blank lines, carriage returns and a missing last newline are fine', async () => {
  const client = openStdio(createSampleServer())
  client.write(`\n\r\n  \t\n${PING}\r\n{"jsonrpc":"2.0","id":2,"method":"ping"}`)
  expect((await client.end()).map((message) => message['id'])).toEqual([1, 2])
  expect(await client.handle.closed).toBe('input ended')
})

test('a message may arrive one byte at a time', async () => {
  const client = openStdio(createSampleServer())
  const params = { name: 'echo', arguments: { text: 'größer 🙂' } }
  const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  for (const byte of Buffer.from(`${line}\n`)) client.write(Uint8Array.of(byte))
  expect(await client.end()).toMatchObject([{ result: { content: [{ text: 'größer 🙂' }] } }])
})

test('a line over the limit is answered under its early id and skipped', async () => {
  const client = openStdio(createSampleServer({ limits: { frameBytes: 100 } }))
  client.write(
    `{"jsonrpc":"2.0","id":"big","method":"ping","params":{"fill":"${'x'.repeat(99)}"}}\n`,
  )
  client.write(`"${'x'.repeat(500)}`)
  client.write(`${'x'.repeat(500)}"\n${PING}\n`)
  expect(await client.end()).toMatchObject([
    { id: 'big', error: { code: -32600, message: 'message is longer than 100 bytes' } },
    { id: null, error: { code: -32600 } },
    { id: 1, result: {} },
  ])
})

test('a line of exactly the limit is served', async () => {
  const client = openStdio(createSampleServer({ limits: { frameBytes: PING.length } }))
  client.write(`${PING}\n`)
  expect(await client.end()).toMatchObject([{ id: 1, result: {} }])
})

test('running requests are answered after the input has ended', async () => {
  let finish = (): void => {}
  const server = createServer({ name: 'slow', version: '1' }).tool({
    name: 'slow',
    run: () => new Promise((resolve) => (finish = () => resolve({ content: [] }))),
  })
  const client = openStdio(server)
  client.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}\n')
  await expect.poll(() => client.input.readableLength).toBe(0)
  client.input.end(() => setImmediate(() => finish()))
  await client.handle.closed
  expect(client.messages()).toMatchObject([{ id: 1, result: {} }])
})

test('a request that does not end is given up after the grace time', async () => {
  const client = openStdio(createSampleServer(), { graceMs: 5 })
  client.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}\n')
  expect(await client.end()).toMatchObject([{ id: 1, error: { code: -32000 } }])
})

test('close refuses new requests, lets running ones finish and leaves the streams open', async () => {
  const client = openStdio(createSampleServer(), { graceMs: 20 })
  client.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}\n')
  await expect.poll(() => client.input.readableLength).toBe(0)
  const closing = client.handle.close()
  client.write(`{"jsonrpc":"2.0","id":2,"method":"ping"}\n`)
  await closing
  const error = { code: -32000, message: 'the server is shutting down' }
  expect(client.messages()).toMatchObject([
    { id: 2, error },
    { id: 1, error },
  ])
  expect(await client.handle.closed).toBe('closed')
  expect(client.output.writableEnded).toBe(false)
})

test('an output that breaks ends the connection', async () => {
  const client = openStdio(createSampleServer())
  client.output.destroy(new Error('EPIPE'))
  expect(await client.handle.closed).toBe('output closed')
})

test('a client that does not read is not read from', async () => {
  const client = openStdio(createSampleServer(), { maxBacklog: 1000 })
  client.output.pause()
  const text = 'x'.repeat(2000)
  const params = { name: 'echo', arguments: { text } }
  for (let id = 0; id < 100; id++) {
    client.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`)
  }
  await expect.poll(() => client.input.isPaused()).toBe(true)
  client.output.resume()
  expect(new Set((await client.end()).map((message) => message['id'])).size).toBe(100)
})
