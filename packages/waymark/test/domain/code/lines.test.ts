import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { countLines, linesOf, sliceLines } from '../../../src/annotation/outline/lines.ts'
import { SEED } from '../../seed.ts'

it('lines are counted and cut out as if all of them had been made', () => {
  const text = fc.array(fc.constantFrom('a', 'bc', '\n', '\r\n')).map((parts) => parts.join(''))
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 0, max: 9 }),
      (code, start, more) => {
        const end = start + more
        expect(countLines(code)).toBe(linesOf(code).length)
        expect(sliceLines(code, { start, end })).toBe(
          linesOf(code)
            .slice(start - 1, end)
            .join('\n'),
        )
      },
    ),
    { seed: SEED, numRuns: 2_000 },
  )
})
