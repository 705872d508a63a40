import { expect, test } from 'vitest'
import { createSampleServer } from '../support/sample-server.ts'
import { openStdio } from '../support/stdio-client.ts'

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

/** What the client sends, and the id and code it gets back; nothing at all if there is no answer. */
type Frame = readonly [title: string, frame: string | Uint8Array, id?: unknown, code?: number]

function nested(levels: number, id: string): string {
  const value = '['.repeat(levels) + ']'.repeat(levels)
  return `{"jsonrpc":"2.0",${id}"method":"ping","params":{"x":${value}}}`
}

const FRAMES: readonly Frame[] = [
  ['text', 'hello', null, -32700],
  ['a byte order mark', `\uFEFF${PING}`, null, -32700],
  ['two messages on a line', PING + PING, null, -32700],
  ['a message that stops', PING.slice(0, -5), null, -32700],
  ['a trailing comma', '{"jsonrpc":"2.0","id":1,"method":"ping",}', null, -32700],
  ['single quotes', "{'jsonrpc':'2.0','id':1,'method':'ping'}", null, -32700],
  [
    'invalid UTF-8',
    Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xff, 0xfe), Buffer.from('"}')]),
    null,
    -32700,
  ],
  ['overlong UTF-8', Buffer.of(0x22, 0xc0, 0xaf, 0x22), null, -32700],
  ['a raw NUL', '{"jsonrpc":"2.0","id":1,"method":"pi\u0000ng"}', null, -32700],
  ['a number', '7', null, -32600],
  ['null', 'null', null, -32600],
  ['a string', '"ping"', null, -32600],
  ['an empty object', '{}', null, -32600],
  ['an empty batch', '[]', null, -32600],
  ['a batch', `[${PING}]`, null, -32600],
  ['a batch in a batch', `[[${PING}]]`, null, -32600],
  ['the id null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600],
  ['a broken id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null, -32600],
  [
    'an id that a double cannot hold',
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
    null,
    -32600,
  ],
  ['an id beyond all doubles', '{"jsonrpc":"2.0","id":1e400,"method":"ping"}', null, -32600],
  ['the id minus zero', '{"jsonrpc":"2.0","id":-0,"method":"ping"}', null, -32600],
  ['an object for an id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600],
  ['true for an id', '{"jsonrpc":"2.0","id":true,"method":"ping"}', null, -32600],
  [
    'an id of 257 characters',
    `{"jsonrpc":"2.0","id":"${'x'.repeat(257)}","method":"ping"}`,
    null,
    -32600,
  ],
  ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 1, -32600],
  ['no version of JSON-RPC', '{"id":1,"method":"ping"}', 1, -32600],
  ['no method', '{"jsonrpc":"2.0","id":1}', 1, -32600],
  ['a number for a method', '{"jsonrpc":"2.0","id":1,"method":7}', 1, -32600],
  ['Method with a capital', '{"jsonrpc":"2.0","id":1,"Method":"ping"}', 1, -32600],
  [
    'a look-alike of params',
    '{"jsonrpc":"2.0","id":1,"method":"ping","param\u017f":{}}',
    1,
    -32600,
  ],
  [
    'a member that JSON-RPC does not know',
    '{"jsonrpc":"2.0","id":1,"method":"ping","auth":"x"}',
    1,
    -32600,
  ],
  ['an id twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', null, -32600],
  ['a method twice', '{"jsonrpc":"2.0","id":1,"method":"ping","method":"x"}', null, -32600],
  [
    'a member twice, deep inside',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"\\u0061":2}}',
    1,
    -32600,
  ],
  ['a list of params', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', 1, -32602],
  ['text for params', '{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}', 1, -32600],
  ['null for params', '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}', 1, -32600],
  ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"pong"}', 1, -32601],
  ['a method of the prototype', '{"jsonrpc":"2.0","id":1,"method":"toString"}', 1, -32601],
  [
    '__proto__',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{"polluted":1}}}',
    1,
    -32602,
  ],
  [
    '__proto__ in disguise',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"\\u005f_proto__":{}}}',
    1,
    -32602,
  ],
  [
    'constructor',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[{"constructor":1}]}}',
    1,
    -32602,
  ],
  ['prototype', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"prototype":1}}', 1, -32602],
  ['65 levels', nested(63, '"id":1,'), 1, -32602],
  ['1,000 levels', nested(1000, '"id":1,'), 1, -32602],
  ['100,000 levels', nested(100_000, '"id":1,'), 1, -32602],
  ['1,000,000 levels without an end', '['.repeat(1_000_000), null, -32600],
  ['an unterminated string of backslashes', `{"id":"${'\\'.repeat(100_000)}`, null, -32700],
  ['an unknown notification', '{"jsonrpc":"2.0","method":"notifications/nothing"}'],
  [
    'a notification with a list',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}',
  ],
  ['a notification with __proto__', '{"jsonrpc":"2.0","method":"x","params":{"__proto__":1}}'],
  ['a cancellation of nothing', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}'],
  ['a response without a request', '{"jsonrpc":"2.0","id":1,"result":{}}'],
  [
    'an error response without a request',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"?"}}',
  ],
  ['an answer that is also an error', '{"jsonrpc":"2.0","id":1,"result":1,"error":1}'],
  ['a blank line', ' \t\r'],
]

test('there are more than twenty-nine malformed frames [malformed-frames-more-twenty]', () => {
  expect(FRAMES.length).toBeGreaterThanOrEqual(29)
})

for (const [title, frame, id, code] of FRAMES) {
  test(title, async () => {
    const client = openStdio(createSampleServer())
    client.write(frame)
    client.write(`\n${PING.replace('1', '"after"')}\n`)
    const answers = await client.end()
    const expected = code === undefined ? [] : [{ jsonrpc: '2.0', id, error: { code } }]
    expect(answers).toMatchObject([...expected, { id: 'after', result: {} }])
    expect({}).not.toHaveProperty('polluted')
  })
}

test('64 levels are served', async () => {
  const client = openStdio(createSampleServer())
  client.write(`${nested(62, '"id":1,')}\n`)
  expect(await client.end()).toMatchObject([{ id: 1, result: {} }])
})

test.each([0, -1, 2 ** 53 - 1, -(2 ** 53 - 1), '', 'x'.repeat(256), '1', 'ü"\\\u2028\ud800'])(
  'the id %j is returned unchanged',
  async (id) => {
    const client = openStdio(createSampleServer())
    client.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`)
    expect(await client.end()).toEqual([{ jsonrpc: '2.0', id, result: {} }])
  },
)

test('a message cut at any byte is refused, and only the whole one is served [malformed-frames-message-cut]', async () => {
  const params = { name: 'echo', arguments: { text: 'ü\n"🙂' } }
  const whole = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
  const client = openStdio(createSampleServer())
  for (let length = 1; length < whole.length; length++) {
    client.write(whole.subarray(0, length))
    client.write('\n')
  }
  client.write(whole)
  const answers = await client.end()
  expect(answers).toHaveLength(whole.length)
  for (const answer of answers.slice(0, -1))
    expect(answer).toMatchObject({ id: null, error: { code: -32700 } })
  expect(answers.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'ü\n"🙂' }] } })
})
