import { connectInMemory, createServer } from '@waymark/baton'
import type { MemoryClient, Server } from '@waymark/baton'
import { expect, test } from 'vitest'
import { MODERN_META } from '../support/sample-server.ts'

const KEY = new Uint8Array(32).fill(7)
const META = {
  ...MODERN_META,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
}

/** Computes something once, then asks, so that a first call ends with a state. */
function createAsking({ key = KEY, draft = 'a draft' } = {}): Server {
  return createServer({ name: 'asking', version: '1', requestState: { key } }).tool({
    name: 'ask',
    async run(_input, { elicit, once }) {
      await once('draft', () => draft)
      const { action } = await elicit({
        message: 'Really?',
        requestedSchema: { type: 'object', properties: {} },
      })
      return { structuredContent: { action } }
    },
  })
}

async function firstState(client: MemoryClient): Promise<string> {
  const { result } = await client.request('tools/call', { name: 'ask', _meta: META })
  return String((result as { requestState: string }).requestState)
}

async function isAccepted(client: MemoryClient, requestState: string): Promise<boolean> {
  const params = { name: 'ask', requestState, _meta: META }
  const { result, error } = await client.request('tools/call', params)
  if (result !== undefined) return true
  expect(error).toMatchObject({ code: -32602 })
  return false
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Every text that differs in one bit of a character, or in one bit of what a character stands for. */
function* turnBits(state: string): Generator<string> {
  for (let at = 0; at < state.length; at++) {
    const put = (character: string): string => state.slice(0, at) + character + state.slice(at + 1)
    for (let bit = 0; bit < 8; bit++)
      yield put(String.fromCharCode(state.charCodeAt(at) ^ (1 << bit)))
    const digit = DIGITS.indexOf(state.charAt(at))
    if (digit === -1) continue
    for (let bit = 0; bit < 6; bit++) yield put(DIGITS.charAt(digit ^ (1 << bit)))
  }
}

// Three lengths: the last characters of a text in base 64 have bits to spare in two of them.
test.each(['a draft', 'a draft.', 'a draft..'])(
  'no state with %j is accepted with one bit flipped [request-state-accepted-bit]',
  async (draft) => {
    const client = connectInMemory(createAsking({ draft }))
    const state = await firstState(client)
    let tried = 0
    const accepted: string[] = []
    for (const changed of turnBits(state)) {
      tried++
      if (await isAccepted(client, changed)) accepted.push(changed)
    }
    expect(accepted).toEqual([])
    expect(tried).toBe(state.length * 14 - 6)
    expect(await isAccepted(client, state)).toBe(true)
  },
)

test('a state has one encoding', async () => {
  const client = connectInMemory(createAsking())
  const state = await firstState(client)
  const [body = '', mac = ''] = state.split('.')
  const bytes = (text: string): string => Buffer.from(text, 'base64url').toString('base64')
  const respelled = [
    `${body}.${mac}=`,
    `${bytes(body)}.${bytes(mac)}`,
    `${body}.${mac.slice(0, 4)} ${mac.slice(4)}`,
    `${body}\n.${mac}`,
    ` ${state}`,
    `${state}\t`,
    `${state}.`,
    `${body}.${mac.slice(0, -1)}`,
    `.${mac}`,
    `${body}.`,
  ]
  for (const other of respelled)
    expect([other, await isAccepted(client, other)]).toEqual([other, false])
})

test('a state of an old key is refused', async () => {
  const state = await firstState(connectInMemory(createAsking({ key: new Uint8Array(32).fill(6) })))
  expect(await isAccepted(connectInMemory(createAsking()), state)).toBe(false)
})

// A client that lost the response to a round must be able to send it again, to any process with the key.
test('the same state may be replayed until it expires, with the same meaning', async () => {
  const state = await firstState(connectInMemory(createAsking()))
  const client = connectInMemory(createAsking())
  const params = {
    name: 'ask',
    requestState: state,
    inputResponses: { 'elicitation/create#1': { action: 'decline' } },
    _meta: META,
  }
  for (let time = 0; time < 2; time++)
    expect((await client.request('tools/call', params))['result']).toMatchObject({
      structuredContent: { action: 'decline' },
    })
})
