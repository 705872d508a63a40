import { expect, test, vi } from 'vitest'
import { createProgressLine } from '../../src/surfaces/cli/progress-line.ts'

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

test('the last thing said is shown in time, though nothing more is said', async () => {
  let err = ''
  {
    using line = createProgressLine({ err: (text) => (err += text), columns: 80 })
    line.show('reading')
    line.show('fetching')
    expect(err).toBe('')
    await vi.waitUntil(() => err !== '', { timeout: 30_000 })
  }
  const clear = '\r\u001b[K'
  expect(err).toBe(`${clear}fetching${clear}`)
})

test('work that is done at once shows nothing', () => {
  let err = ''
  {
    using line = createProgressLine({ err: (text) => (err += text), columns: 80 }, () => 0)
    line.show('reading: 1 %')
  }
  expect(err).toBe('')
})
