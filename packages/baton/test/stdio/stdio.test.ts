import { createServer, type RequestId } from '@waymark/baton'
import { expect, test } from 'vitest'
import { createSampleServer } from '../support/sample-server.ts'
import { openStdio } from '../support/stdio-client.ts'

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

test('a line over the limit is answered with its id and skipped', async () => {
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

test('after the grace period requests are aborted, and their responses are still sent', async () => {
  const client = openStdio(createSampleServer(), { graceMs: 0 })
  client.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}\n')
  const result = { isError: true, content: [{ text: 'stopped' }] }
  expect(await client.end()).toMatchObject([{ id: 1, result }])
})

test('a request that does not stop may have taken effect; one that never started may be retried', async () => {
  const begun: RequestId[] = []
  const server = createServer({ name: 'deaf', version: '1', limits: { concurrency: 1 } }).tool({
    name: 'deaf',
    run(_input, { requestId }) {
      begun.push(requestId)
      return new Promise(() => {})
    },
  })
  const client = openStdio(server, { graceMs: 0 })
  for (const id of [1, 2])
    client.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"deaf"}}\n`)
  expect(await client.end()).toMatchObject([
    { id: 2, error: { code: -32000, message: 'the server is shutting down' } },
    { id: 1, error: { code: -32603, message: expect.stringContaining('may have taken effect') } },
  ])
  expect(begun).toEqual([1])
})

test('a request that stops does not start a waiting one', async () => {
  const begun: RequestId[] = []
  const server = createServer({ name: 'slow', version: '1', limits: { concurrency: 1 } }).tool({
    name: 'slow',
    run(_input, { requestId, signal }) {
      begun.push(requestId)
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })
    },
  })
  const client = openStdio(server, { graceMs: 0 })
  for (const id of [1, 2])
    client.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"slow"}}\n`)
  expect(await client.end()).toMatchObject([
    { id: 2, error: { code: -32000 } },
    // A handler that rethrows the reason must not report that nothing was done.
    { id: 1, error: { code: -32603 } },
  ])
  expect(begun).toEqual([1])
})

test('close refuses new requests, lets running ones finish and leaves the streams open', async () => {
  const client = openStdio(createSampleServer(), { graceMs: 20 })
  client.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}\n')
  await expect.poll(() => client.input.readableLength).toBe(0)
  const closing = client.handle.close()
  client.write(`{"jsonrpc":"2.0","id":2,"method":"ping"}\n`)
  await closing
  expect(client.messages()).toMatchObject([
    { id: 2, error: { code: -32000, message: 'the server is shutting down' } },
    { id: 1, result: { isError: true } },
  ])
  expect(await client.handle.closed).toBe('closed')
  expect(client.output.writableEnded).toBe(false)
})

test('an output error ends the connection', async () => {
  const client = openStdio(createSampleServer())
  client.output.destroy(new Error('EPIPE'))
  expect(await client.handle.closed).toBe('output closed')
})

test('back-pressure: no input is read while the client does not read', async () => {
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
