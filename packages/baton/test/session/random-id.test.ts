import { expect, it } from 'vitest'
import { formatCount, isFullLevel } from '../level.ts'
import { createSessionId, createTaskId } from '../../src/session/random-id.ts'

const IDS = isFullLevel ? 1_000_000 : 50_000

it(`of ${formatCount(IDS)} ids of sessions and tasks none repeats and every byte value is equally common [random-id-ids-sessions]`, () => {
  const ids = new Set<string>()
  const frequencies = new Uint32Array(256)
  for (let index = 0; index < IDS; index += 1) {
    const id = index % 2 === 0 ? createSessionId() : createTaskId()
    ids.add(id)
    for (const byte of Buffer.from(id, 'base64url')) frequencies[byte]! += 1
  }
  expect(ids.size).toBe(IDS)
  const expected = (IDS * 32) / 256
  const chiSquare = frequencies.reduce(
    (sum, observed) => sum + (observed - expected) ** 2 / expected,
    0,
  )
  // 255 degrees of freedom: a sound generator exceeds 400 once in about a hundred million runs.
  expect(chiSquare).toBeLessThan(400)
})
