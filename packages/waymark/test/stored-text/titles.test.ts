import { describe, expect, it } from 'vitest'
import { toTitle } from '../../src/support/text/visible-text.ts'

/** Nothing but one string, also for a reader to whom a backslash takes the meaning of what follows it. */
const ONE_STRING = /^"(?:[^"\\]|\\.)*"$/

function wordsOf(letters: readonly string[], length: number): readonly string[] {
  if (length === 0) return ['']
  return wordsOf(letters, length - 1).flatMap((word) => letters.map((letter) => word + letter))
}

describe('a title in quotes', () => {
  it('is shown as it is, so that it can be copied', () => {
    expect(toTitle('Fix C:\\temp (Windows)')).toBe('"Fix C:\\temp (Windows)"')
    expect(toTitle('Match \\d+ [regex]')).toBe('"Match \\d+ [regex]"')
    expect(toTitle('Say "no" (twice)\r\n\u202e')).toBe('"Say \\"no\\" (twice) \\u{202e}"')
  })

  it('ends where the quotes end, whatever is in it', () => {
    const words = wordsOf(['\\', '"', 'x', '·'], 6)
    const titles = words.map((word) => toTitle(`(${word}`))
    expect(titles.filter((title) => !ONE_STRING.test(title))).toEqual([])
    expect(new Set(titles).size).toBe(words.length)
  })
})
