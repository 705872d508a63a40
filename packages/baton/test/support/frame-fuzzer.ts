import { createRandom } from './random.ts'
import type { Random } from './random.ts'

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

// No request has this id, and no mutation turns it into one that has: a cancelled request gets no answer.
const UNUSED_ID = 'zzzzzzzz'

/** Messages as clients send them, each with its own id in place of `#`; the mutator starts from these. */
const TRANSCRIPT: readonly string[] = [
  { jsonrpc: '2.0', id: '#', method: 'initialize', params: { protocolVersion: '2025-11-25' } },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: '#', method: 'ping' },
  { jsonrpc: '2.0', id: '#', method: 'server/discover', params: { _meta: META } },
  { jsonrpc: '2.0', id: '#', method: 'tools/list', params: { cursor: 'x' } },
  {
    jsonrpc: '2.0',
    id: '#',
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: 'größer \u2028 🙂 \\ "' }, _meta: META },
  },
  {
    jsonrpc: '2.0',
    id: '#',
    method: 'tools/call',
    params: { name: 'add', arguments: { a: 1, b: 2 } },
  },
  {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: UNUSED_ID, reason: '' },
  },
  { jsonrpc: '2.0', id: '#', result: { action: 'accept', content: { deep: [[[{}]]] } } },
  [{ jsonrpc: '2.0', id: '#', method: 'ping' }],
].map((message) => JSON.stringify(message))

/**
 * Makes frames, valid and broken in every way that the grammar and the byte mutator can think of. Of the calls that a
 * server knows, with `#` for their id, there are as many as of all other messages.
 */
export function createFrameFuzzer(seed: number, calls: readonly string[] = []): () => Buffer {
  const random = createRandom(seed)
  let made = 0
  return () => {
    made++
    switch (random.below(3)) {
      case 0:
        return Buffer.from(JSON.stringify(randomMessage(random, made)))
      case 1:
        return mutate(Buffer.from(pickMessage(random, calls).replace('#', `t${made}`)), random)
      default:
        return mutate(Buffer.from(JSON.stringify(randomMessage(random, made))), random)
    }
  }
}

function pickMessage(random: Random, calls: readonly string[]): string {
  return random.pick(calls.length > 0 && random.below(2) === 0 ? calls : TRANSCRIPT)
}

function randomMessage(random: Random, unique: number): unknown {
  if (random.below(12) === 0) return randomValue(random, 0)
  const message: Record<string, unknown> = { jsonrpc: random.below(15) === 0 ? '1.0' : '2.0' }
  if (random.below(4) > 0) {
    message['id'] =
      random.below(2) > 0
        ? random.pick([unique, -unique, `a${unique}`, `ü${unique}`])
        : random.pick([1.5, null, true, {}, 2 ** 53, 'x'.repeat(300)])
  }
  if (random.below(10) > 0) {
    message['method'] = random.pick(['ping', 'tools/list', 'tools/call', 'nothing', '', 7])
  }
  if (random.below(2) > 0) message['params'] = randomValue(random, 0)
  if (random.below(10) === 0) message[random.pick(['result', 'error', 'extra', '__proto__'])] = {}
  return message
}

function randomValue(random: Random, depth: number): unknown {
  if (depth === 0 && random.below(50) === 0) return nest(60 + random.below(10))
  switch (random.below(depth > 4 ? 4 : 6)) {
    case 0:
      return random.pick([null, true, false])
    case 1:
      return random.below(1000) / random.pick([1, 3])
    case 2:
      return random.pick(['', 'echo', 'text', '\u0000\ud800', '{"a":1}', 'x'.repeat(50)])
    case 3:
      return { name: 'echo', arguments: { text: 'hi' } }
    case 4:
      return Array.from({ length: random.below(4) }, () => randomValue(random, depth + 1))
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(4) }, () => [
          random.pick(['a', 'name', 'arguments', '_meta', 'constructor', 'text', 'cursor']),
          randomValue(random, depth + 1),
        ]),
      )
  }
}

function nest(levels: number): unknown {
  let value: unknown = 0
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

function mutate(bytes: Buffer, random: Random): Buffer {
  let mutated = Buffer.from(bytes)
  for (let count = random.below(4); count >= 0; count--) {
    const at = random.below(mutated.length + 1)
    const length = random.below(8)
    const before = mutated.subarray(0, at)
    const after = mutated.subarray(at)
    switch (random.below(6)) {
      case 0:
        mutated = Buffer.concat([before, after.subarray(length)])
        break
      case 1:
        mutated = Buffer.concat([before, Buffer.of(random.below(256)), after])
        break
      case 2:
        mutated = Buffer.concat([before, after.subarray(0, length), after])
        break
      case 3:
        mutated = Buffer.concat([
          before,
          Buffer.from(random.pick(['"', '\\', '{', ']', ':', ',', '\n', '\r'])),
          after,
        ])
        break
      case 4:
        mutated = Buffer.concat([
          before,
          Buffer.from(random.pick(TRANSCRIPT)).subarray(0, length * 9),
        ])
        break
      default:
        if (at < mutated.length) mutated[at] = random.below(256)
    }
  }
  return mutated
}
