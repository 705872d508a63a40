import { expect, test } from 'vitest'
import { SEED } from './seed.ts'
import { countExpectedAnswers } from './support/answer-oracle.ts'
import { createFrameFuzzer } from './support/frame-fuzzer.ts'
import { createRandom } from './support/random.ts'
import { createSampleServer } from './support/sample-server.ts'
import { openStdio } from './support/stdio-client.ts'
import type { StdioClient } from './support/stdio-client.ts'

const FRAMES = 200_000
const FRAMES_PER_ROUND = 2000

test('200,000 fuzzed frames: none unanswered, none answered twice, none fatal', async () => {
  console.log(`fuzz seed ${SEED}; TEST_SEED=${SEED} repeats this run`)
  const makeFrame = createFrameFuzzer(SEED)
  const random = createRandom(SEED + 1)
  const client = openStdio(createSampleServer())
  let expected = 0
  for (let sent = 0; sent < FRAMES; sent += FRAMES_PER_ROUND) {
    const frames = Array.from({ length: FRAMES_PER_ROUND }, makeFrame)
    const lines = frames.flatMap(splitLines)
    for (const line of lines) expected += countExpectedAnswers(line)
    writeInPieces(client, Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])), random)
    await client.untilLines(expected)
  }
  expect(await client.end()).toHaveLength(expected)
  expect(await client.handle.closed).toBe('input ended')
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
