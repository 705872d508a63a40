import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { isFullLevel } from '../level.ts'
import { readMemory } from '../support/memory.ts'
import { createSampleServer } from '../support/sample-server.ts'
import { openStdio } from '../support/stdio-client.ts'
import { bundleProgram } from '../../../../scripts/vitest/bundle-program.ts'

const MEBIBYTE = 1024 * 1024
const LIMIT = 4 * MEBIBYTE
const PING = '{"jsonrpc":"2.0","id":"ping","method":"ping"}\n'
const SERVER = new URL('../fixtures/scenario-server.ts', import.meta.url)
/** Enough that buffering it would exceed the limit for the growth of memory. */
const ENDLESS_MEBIBYTES = isFullLevel ? 1024 : 256

/** A ping of exactly so many bytes. */
function pingOf(bytes: number, id: string): string {
  const [before, after] = [
    `{"jsonrpc":"2.0","id":"${id}","method":"ping","params":{"fill":"`,
    '"}}',
  ]
  return `${before}${'x'.repeat(bytes - before.length - after.length)}${after}\n`
}

/** Measures the longest stall of the event loop. */
function watchStalls(): { stop(): string } {
  let last = performance.now()
  let longest = 0
  const look = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  return {
    stop() {
      look()
      clearInterval(timer)
      return `the longest stall was ${longest.toFixed(0)} ms`
    },
  }
}

test('a message may be as long as the limit and no byte longer', async () => {
  const client = openStdio(createSampleServer())
  for (const [id, bytes] of Object.entries({
    million: 1e6,
    less: LIMIT - 1,
    exact: LIMIT,
    more: LIMIT + 1,
    eleven: 11e6,
  }))
    client.write(pingOf(bytes, id))
  client.write(PING)
  const refused = { code: -32600, message: 'message is longer than 4194304 bytes' }
  const answers = await client.end()
  expect(Object.fromEntries(answers.map(({ id, ...answer }) => [id, answer]))).toEqual({
    million: { jsonrpc: '2.0', result: {} },
    less: { jsonrpc: '2.0', result: {} },
    exact: { jsonrpc: '2.0', result: {} },
    more: { jsonrpc: '2.0', error: refused },
    eleven: { jsonrpc: '2.0', error: refused },
    ping: { jsonrpc: '2.0', result: {} },
  })
  expect(answers).toHaveLength(6)
})

test(`${ENDLESS_MEBIBYTES} MiB without a newline are answered once and not buffered [sizes-mib-newline]`, async () => {
  const child = spawn(process.execPath, [bundleProgram(SERVER)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'close')
  const lines: string[] = []
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(line))
  const send = async (bytes: string | Buffer): Promise<void> => {
    if (!child.stdin.write(bytes)) await once(child.stdin, 'drain')
  }
  const answers = async (count: number): Promise<void> => {
    while (lines.length < count) await once(reader, 'line')
  }
  await send(pingOf(LIMIT, 'largest'))
  await answers(1)
  const chunk = Buffer.alloc(MEBIBYTE, '[')
  const before = readMemory(child.pid)
  for (let count = 0; count < ENDLESS_MEBIBYTES; count++) await send(chunk)
  await send(`\n${PING}`)
  await answers(3)
  const after = readMemory(child.pid)
  child.stdin.end()
  expect(await exited).toEqual([0, null])
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { id: 'largest', result: {} },
    { id: null, error: { code: -32600 } },
    { id: 'ping', result: {} },
  ])
  if (before === undefined || after === undefined) return
  const growth = after.peak - before.peak
  console.log(`without a newline: the peak grew by ${(growth / MEBIBYTE).toFixed(1)} MiB`)
  // Buffers are garbage collected with a delay.
  expect(growth).toBeLessThan(96 * MEBIBYTE)
})

test('100,000 members and 100,000 items are served, a million members are not [sizes-100-000]', async () => {
  const client = openStdio(createSampleServer({ limits: { frameBytes: 16 * MEBIBYTE } }))
  const spell = (count: number): string =>
    `{${Array.from({ length: count }, (_, index) => `"${index.toString(36)}":1`).join()}}`
  const items = Array.from({ length: 100_000 }, () => '1')
  const values = [spell(100_000), `{"items":[${items.join()}]}`, spell(1_000_000)]
  const frames = values.map((params, id) =>
    Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"ping","params":${params}}\n`),
  )
  for (const [id, frame] of frames.entries()) {
    const stalls = watchStalls()
    client.write(frame)
    await client.untilLines(id + 1)
    console.log(`${frame.length} bytes: ${stalls.stop()}`)
  }
  expect(await client.end()).toMatchObject([
    { id: 0, result: {} },
    { id: 1, result: {} },
    { id: 2, error: { code: -32602, message: 'message has more than 131072 members' } },
  ])
})

test('a million items are refused before they are read', async () => {
  const client = openStdio(createSampleServer({ limits: { frameBytes: 16 * MEBIBYTE } }))
  const items = '1,'.repeat(1_000_000)
  client.write(
    Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"items":[${items}1]}}\n`),
  )
  expect(await client.end()).toMatchObject([
    { id: 1, error: { code: -32602, message: 'message has more than 262144 values' } },
  ])
})

test.each(['__proto__', 'constructor', 'prototype', '\\u005f_proto__'])(
  'the name %s is refused at every level [sizes-name-refused]',
  async (name) => {
    const client = openStdio(createSampleServer())
    const stalls = watchStalls()
    // The message is the first level and its params are the second.
    for (let level = 1; level <= 64; level++) {
      const above = Math.max(0, level - 2)
      const value = level === 64 ? '1' : '{"polluted":1}'
      const params = `${'{"a":'.repeat(above)}{"${name}":${value}}${'}'.repeat(above)}`
      const bad = level === 1 ? `"${name}":1` : `"params":${params}`
      client.write(`{"jsonrpc":"2.0","id":${level},"method":"ping",${bad}}\n`)
    }
    const answers = await client.end()
    console.log(`${name}: ${stalls.stop()}`)
    expect(answers).toHaveLength(64)
    for (const [index, answer] of answers.entries())
      expect(answer).toMatchObject({
        id: index + 1,
        error: { code: -32602, message: expect.stringContaining('is not allowed') },
      })
    expect({}).not.toHaveProperty('polluted')
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(PROTOTYPE_NAMES)
  },
)

const PROTOTYPE_NAMES = Object.getOwnPropertyNames(Object.prototype)
