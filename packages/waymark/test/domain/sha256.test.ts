import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { sha256 } from '../../src/support/hash/sha256.ts'

it('names have the hash that Node’s crypto would give them, at every length of a block', () => {
  const expected = (text: string) => createHash('sha256').update(text).digest('hex')
  for (let length = 0; length <= 200; length += 1) {
    const text = 'aß🙂'.repeat(length).slice(0, length)
    expect(sha256(text)).toBe(expected(text))
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
      expect(sha256(text)).toBe(expected(text))
    }),
  )
})
