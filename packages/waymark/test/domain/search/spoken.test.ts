import { expect, it } from 'vitest'
import { speakerOf } from '../../../src/search/text/spoken.ts'

it.each(['Cause: the proxy holds it back.', 'Note: see below.', 'no name: here', 'Ada waits.'])(
  '%s names no speaker',
  (body) => {
    expect(speakerOf({ title: 'Chrome on Android 14', body })).toBe('')
  },
)
