import { createServer } from '@waymark/baton'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { formatCount, isFullLevel } from '../level.ts'
import { SEED } from '../seed.ts'
import { createHttpHandler } from '@waymark/baton/http'
import { LegacyClient } from '../http/http-client.ts'
import { createRandom, type Random } from '../support/random.ts'
import { openStdio } from '../support/stdio-client.ts'

const FRAMES = isFullLevel ? 50_000 : 5_000
const FRAMES_PER_CALL = 250

/** Line terminators of all kinds, and text that looks like a field of an event stream. */
const BREAKS = [
  '\r',
  '\n',
  '\r\n',
  '\u2028',
  '\u2029',
  '\u0085',
  '\u000b',
  '\u000c',
  '\n\n',
  '\u0000',
]
const FIELDS = ['data: {}', 'event: message', 'id: 1', ': comment', 'retry: 1', '{"jsonrpc":"2.0"}']

function randomText(random: Random): string {
  const parts = Array.from({ length: 1 + random.below(5) }, () =>
    random.pick([random.pick(BREAKS), random.pick(FIELDS), 'ü🙂', ' ']),
  )
  return parts.join('')
}

/** Sends texts in every field that a handler controls: log data, logger name and result. */
function createParrot(texts: readonly string[]) {
  return createServer({ name: 'parrot', version: '1' }).tool({
    name: 'say',
    inputSchema: z.object({ from: z.number(), count: z.number() }),
    run({ from, count }, { log }) {
      for (let index = from; index < from + count; index++)
        log('info', { index, text: texts[index] }, texts[index])
      return { content: [{ type: 'text', text: texts[from] ?? '' }] }
    },
  })
}

interface Said {
  readonly id?: number
  readonly params?: {
    readonly data: { readonly index: number; readonly text: string }
    readonly logger: string
  }
  readonly result?: { readonly content: readonly { readonly text: string }[] }
}

/** The number of texts that arrived unchanged, once, in one frame. */
function countWhole(said: readonly Said[], texts: readonly string[]): number {
  const whole = new Set<number>()
  for (const { id, params, result } of said) {
    if (id !== undefined) expect(result?.content[0]?.text).toBe(texts[id])
    const index = params?.data.index
    if (index === undefined) continue
    if (whole.has(index)) throw new Error(`message ${index} came twice`)
    if (params?.data.text === texts[index] && params?.logger === texts[index]) whole.add(index)
  }
  return whole.size
}

function makeTexts(): string[] {
  console.log(`frames seed ${SEED}; TEST_SEED=${SEED} repeats this run`)
  const random = createRandom(SEED)
  return Array.from({ length: FRAMES }, () => randomText(random))
}

function callsOf(texts: readonly string[]): object[] {
  return Array.from({ length: texts.length / FRAMES_PER_CALL }, (_, index) => {
    const from = index * FRAMES_PER_CALL
    const params = { name: 'say', arguments: { from, count: FRAMES_PER_CALL } }
    return { jsonrpc: '2.0', id: from, method: 'tools/call', params }
  })
}

test(`${formatCount(FRAMES)} messages full of line breaks are one line each on a pipe [framing-messages-full]`, async () => {
  const texts = makeTexts()
  const client = openStdio(createParrot(texts))
  const initialize = { protocolVersion: '2025-11-25', capabilities: {} }
  client.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: -1, method: 'initialize', params: initialize })}\n`,
  )
  await client.untilLines(1)
  for (const call of callsOf(texts)) client.write(`${JSON.stringify(call)}\n`)
  await client.end()
  const [, ...lines] = client.lines
  expect(lines.some((line) => line.includes('\r'))).toBe(false)
  const said = lines.map((line) => JSON.parse(line) as Said)
  expect(said).toHaveLength(FRAMES + FRAMES / FRAMES_PER_CALL)
  expect(countWhole(said, texts)).toBe(FRAMES)
})

test(`${formatCount(FRAMES)} messages full of line breaks are one event each in a stream [framing-messages-full-line]`, async () => {
  const texts = makeTexts()
  await using handler = createHttpHandler(createParrot(texts), { authenticator: 'none' })
  const client = await LegacyClient.connect({ url: 'http://localhost/mcp', send: handler.fetch })
  const said: Said[] = []
  let events = 0
  for (const call of callsOf(texts)) {
    const response = await client.post(call)
    for (const data of readEvents(await response.text())) {
      events += 1
      if (data !== '') said.push(JSON.parse(data) as Said)
    }
  }
  // The first event of each stream is the priming event.
  expect(events).toBe(FRAMES + 2 * (FRAMES / FRAMES_PER_CALL))
  expect(countWhole(said, texts)).toBe(FRAMES)
})

const FIELD_NAMES = new Set(['event', 'id', 'retry', ''])

/** The data of every event, by the rules of the HTML standard: line by line, where CR, LF and both together end a line. */
function readEvents(text: string): string[] {
  const events: string[] = []
  let data: string[] = []
  let isOpen = false
  for (const line of text.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (line === '') {
      if (isOpen) events.push(data.join('\n'))
      data = []
      isOpen = false
    } else {
      isOpen = true
      if (name === 'data') data.push(value)
      else if (!FIELD_NAMES.has(name)) throw new Error(`a field of its own: ${line}`)
    }
  }
  return events
}
