import { expect, test } from 'vitest'
import { createProgressLine } from '../../src/surface/progress-line.ts'

test('a line of progress waits, is not repeated too often, fits, and leaves nothing behind', () => {
  let now = 0
  let err = ''
  {
    using line = createProgressLine({ err: (text) => (err += text), columns: 12 }, () => now)
    line.show('too early')
    now = 600
    line.show('reading: 1 %')
    now = 650
    line.show('too soon')
    now = 700
    line.show('reading: 2 %')
  }
  const clear = '\r\u001b[K'
  expect(err).toBe(`${clear}reading: 1 ${clear}reading: 2 ${clear}`)
})

test('work that is done at once shows nothing', () => {
  let err = ''
  {
    using line = createProgressLine({ err: (text) => (err += text), columns: 80 }, () => 0)
    line.show('reading: 1 %')
  }
  expect(err).toBe('')
})
