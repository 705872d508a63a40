import { expect, test } from 'vitest'
import { LineCutter } from '../src/support/text/line-cutter.ts'

function cut(...pieces: string[]): readonly string[] {
  const cutter = new LineCutter()
  return [...pieces.flatMap((piece) => cutter.push(piece)), ...cutter.end()]
}

test('a line ends at its newline, wherever the pieces end', () => {
  expect(cut('a\nbc\n', '\nd', 'e', '\nf')).toEqual(['a', 'bc', '', 'de', 'f'])
  expect(cut('a\r', '\nb\r\n')).toEqual(['a', 'b'])
  expect(cut('', '')).toEqual([])
})

test('no other character ends a line', () => {
  const text = JSON.stringify({ title: 'a\u2028b\u2029c\u0085d\r\n\v\f' })
  expect(cut(`${text}\n${text}`)).toEqual([text, text])
  expect(cut('a\rb\n')).toEqual(['a\rb'])
})
