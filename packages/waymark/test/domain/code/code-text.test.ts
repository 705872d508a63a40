import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { hashCode } from '../../../src/annotation/code-text.ts'
import { SEED } from '../../seed.ts'

/** The rule in its plainest form, for a text of any length at once. */
function hashAtOnce(code: string): string {
  const normal = code
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([^\p{L}\p{N}_$ ]) ?/gu, '$1')
    .replaceAll(/,([)\]}])/g, '$1')
    .trim()
  return createHash('sha256').update(normal).digest('hex').slice(0, 24)
}

const PARTS = ['a', 'é', '_', '𝒳', '😀', ' ', '\t', '\n', '\u00a0', ',', ',', ')', '}', '(', '.']

it('a long text has the same hash, wherever it is cut into pieces', () => {
  const part = fc.array(fc.constantFrom(...PARTS), { maxLength: 12 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(
      part,
      fc.constantFrom('x', ',', ' ', '😀', '\n'),
      fc.nat(8),
      (around, filler, shift) => {
        // The first cut falls into the part in the middle.
        const length = Math.ceil((64 * 1024 - shift) / filler.length)
        const text = `${filler.repeat(length)}${around}${filler}${around}`
        expect(hashCode(text, 'free')).toBe(hashAtOnce(text))
      },
    ),
    { seed: SEED, numRuns: 300 },
  )
})
