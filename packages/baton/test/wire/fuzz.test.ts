import { expect, test } from 'vitest'
import { createHttpHandler } from '@waymark/baton/http'
import { LegacyClient } from '../http/http-client.ts'
import { formatCount, isFullLevel } from '../level.ts'
import { SEED } from '../seed.ts'
import { AnswerLedger } from '../support/answer-ledger.ts'
import { createFrameFuzzer } from '../support/frame-fuzzer.ts'
import { createRandom } from '../support/random.ts'
import { createSampleServer } from '../support/sample-server.ts'
import { openStdio } from '../support/stdio-client.ts'
import type { StdioClient } from '../support/stdio-client.ts'

const FRAMES = isFullLevel ? 200_000 : 20_000
const FRAMES_PER_ROUND = 200
const BODIES = isFullLevel ? 20_000 : 1_500

test(`${formatCount(FRAMES)} fuzzed frames: none unanswered, none answered twice, none fatal [fuzz-fuzzed-frames]`, async () => {
  console.log(`fuzz seed ${SEED}; TEST_SEED=${SEED} repeats this run`)
  const makeFrame = createFrameFuzzer(SEED)
  const random = createRandom(SEED + 1)
  const client = openStdio(createSampleServer())
  for (let sent = 0; sent < FRAMES; sent += FRAMES_PER_ROUND) {
    const frames = Array.from({ length: FRAMES_PER_ROUND }, makeFrame)
    const lines = frames.flatMap(splitLines)
    const ledger = new AnswerLedger()
    for (const line of lines) ledger.expect(line)
    const before = client.lines.length
    writeInPieces(client, Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])), random)
    await client.untilLines(before + ledger.size)
    expect(ledger.settle(client.lines.slice(before))).toEqual({ unanswered: [], unasked: [] })
  }
  const answered = client.lines.length
  expect(await client.end()).toHaveLength(answered)
  expect(await client.handle.closed).toBe('input ended')
})

test(`${formatCount(BODIES)} fuzzed bodies over HTTP: each is answered with its own id, and none is fatal [fuzz-fuzzed-bodies]`, async () => {
  console.log(`fuzz seed ${SEED}; TEST_SEED=${SEED} repeats this run`)
  const makeFrame = createFrameFuzzer(SEED + 2)
  await using handler = createHttpHandler(createSampleServer(), { authenticator: 'none' })
  const client = await LegacyClient.connect({ url: 'http://localhost/mcp', send: handler.fetch })
  const wrong: object[] = []
  for (let sent = 0; sent < BODIES; sent++) {
    const frame = makeFrame()
    // A blank line is nothing; a body has to be something.
    if (frame.toString('latin1').trim() === '') continue
    const ledger = new AnswerLedger()
    ledger.expect(frame)
    const response = await client.post(frame.toString('latin1'), { body: new Uint8Array(frame) })
    const text = await response.text()
    const { unanswered, unasked } = ledger.settle(text === '' ? [] : [text])
    const isRight = ledger.size > 0 || response.status === 202
    if (!isRight || unanswered.length + unasked.length > 0)
      wrong.push({ frame: frame.toString(), status: response.status, unanswered, unasked })
  }
  expect(wrong).toEqual([])
  expect((await client.request('ping')).status).toBe(200)
})

function splitLines(frame: Buffer): Buffer[] {
  return frame
    .toString('latin1')
    .split('\n')
    .map((line) => Buffer.from(line, 'latin1'))
}

function writeInPieces(
  client: StdioClient,
  bytes: Buffer,
  random: ReturnType<typeof createRandom>,
): void {
  for (let at = 0; at < bytes.length;) {
    const end = at + 1 + random.below(random.pick([3, 100, 10_000, 100_000]))
    client.write(bytes.subarray(at, end))
    at = end
  }
}
