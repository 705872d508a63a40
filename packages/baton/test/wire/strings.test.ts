import { createServer } from '@waymark/baton'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { formatCount, isFullLevel } from '../level.ts'
import { SEED } from '../seed.ts'
import { createRandom, type Random } from '../support/random.ts'
import { createSampleServer } from '../support/sample-server.ts'
import { openStdio } from '../support/stdio-client.ts'

const STRINGS = isFullLevel ? 100_000 : 20_000
const STRINGS_PER_CALL = 200
/** How many second bytes are tried for each first one. */
const SECOND_BYTES = isFullLevel ? 256 : 40

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Code units from everywhere, those that need care more often than others. */
function randomText(random: Random): string {
  const units = Array.from({ length: random.below(12) }, () =>
    random.pick([
      random.below(0x80),
      random.below(0x20),
      random.below(0x1_0000),
      0xd800 + random.below(0x800),
      random.pick([
        0x00, 0x0a, 0x0d, 0x22, 0x5c, 0x7f, 0x85, 0x2028, 0x2029, 0xfeff, 0xfffd, 0xffff,
      ]),
    ]),
  )
  return String.fromCharCode(...units) + random.pick(['', '🙂', 'é', '\u{10ffff}'])
}

test(`${formatCount(STRINGS)} strings are echoed unchanged, at any chunk boundary [strings-echoed-unchanged]`, async () => {
  console.log(`strings seed ${SEED}; TEST_SEED=${SEED} repeats this run`)
  const random = createRandom(SEED)
  const server = createServer({ name: 'echo', version: '1' }).tool({
    name: 'echo',
    inputSchema: z.object({ texts: z.array(z.string()) }),
    run: ({ texts }) => ({ structuredContent: { texts } }),
  })
  const client = openStdio(server)
  const sent = Array.from({ length: STRINGS / STRINGS_PER_CALL }, () =>
    Array.from({ length: STRINGS_PER_CALL }, () => randomText(random)),
  )
  for (const [id, texts] of sent.entries()) {
    const params = { name: 'echo', arguments: { texts } }
    const frame = { jsonrpc: '2.0', id, method: 'tools/call', params }
    const bytes = Buffer.from(`${JSON.stringify(frame)}\n`)
    for (let at = 0; at < bytes.length;) {
      const end = at + 1 + random.below(random.pick([2, 50, 5_000]))
      client.write(bytes.subarray(at, end))
      at = end
    }
    await client.untilLines(id + 1)
  }
  const answers = await client.end()
  expect(answers).toHaveLength(sent.length)
  let altered = 0
  for (const { id, result } of answers) {
    const { texts } = (result as { structuredContent: { texts: string[] } }).structuredContent
    const before = sent[id as number] ?? []
    altered += before.filter((text, index) => text !== texts[index]).length
    altered += Math.abs(before.length - texts.length)
  }
  expect(altered).toBe(0)
})

test('any two bytes in a string are refused or echoed, as TextDecoder decides [strings-any-two]', async () => {
  console.log(`bytes seed ${SEED}; TEST_SEED=${SEED} repeats this run`)
  const random = createRandom(SEED)
  const client = openStdio(createSampleServer())
  const expected: (string | undefined)[] = []
  for (let first = 0; first < 256; first++) {
    for (let count = 0; count < SECOND_BYTES; count++) {
      const second = SECOND_BYTES === 256 ? count : random.below(256)
      // Two newlines make three frames of one.
      if (first === 0x0a || second === 0x0a) continue
      const frame = Buffer.concat([
        Buffer.from(`{"jsonrpc":"2.0","id":${expected.length},"method":"tools/call","params":`),
        Buffer.from('{"name":"echo","arguments":{"text":"'),
        Buffer.of(first, second),
        Buffer.from('"}}}'),
      ])
      expected.push(readText(frame))
      client.write(frame)
      client.write('\n')
    }
  }
  const answers = await client.end()
  expect(answers).toHaveLength(expected.length)
  const textsById = new Map<unknown, string | undefined>()
  for (const { id, result, error } of answers) {
    if (error !== undefined) expect(error).toMatchObject({ code: -32700 })
    else textsById.set(id, (result as { content: { text: string }[] }).content[0]?.text)
  }
  const altered = expected.filter((text, id) => textsById.get(id) !== text)
  expect(altered).toEqual([])
  expect(expected.filter((text) => text !== undefined).length).toBe(textsById.size)
  console.log(`${expected.length} pairs of bytes, ${textsById.size} of them text`)
})

/** What the frame says, if it says anything. */
function readText(frame: Buffer): string | undefined {
  try {
    const message = JSON.parse(decoder.decode(frame)) as {
      params: { arguments: { text: string } }
    }
    return message.params.arguments.text
  } catch {
    return undefined
  }
}
