import { describe, expect, it } from 'vitest'
import { nearestWords } from '../../../src/search/text/spelling.ts'

const KNOWN = ['postgres', 'posture', 'redis', 'session', 'sessions', 'authentication', 'nginx']

describe('what a misspelt word may have meant', () => {
  it.each([
    ['postgers', ['postgres']],
    ['potsgres', ['postgres']],
    ['sesion', ['session']],
    ['ngnix', ['nginx']],
    ['authentcaton', ['authentication']],
    ['thentic', ['authentication']],
    ['mongo', []],
    ['re', []],
  ])('%s', (typed, meant) => {
    expect(nearestWords(typed, KNOWN)).toEqual(meant)
  })

  it('the nearest comes first', () => {
    expect(nearestWords('sessons', KNOWN)[0]).toBe('sessions')
  })
})
