import { describe, expect, it } from 'vitest'
import type { Edit } from '../../../src/install/format/edit.ts'
import { FORMATS } from '../../../src/install/format/formats.ts'

const { section } = FORMATS

const TEXT: Edit = { kind: 'section', path: [], value: '## Memory\n\nUse it.' }

describe('a section of a Markdown file', () => {
  it.each(['', '# Mine\n', '# Mine\n\ntext\n\n', '# Mine\r\n\r\ntext\r\n'])(
    'goes to the end of %j, and without a trace',
    (text) => {
      const next = section.put(text, TEXT)
      expect(section.find(next, TEXT)).toBe(TEXT.value)
      expect(section.put(next, TEXT)).toBe(next)
      expect(section.take(next, TEXT)).toBe(text)
      if (text.includes('\r\n')) expect(next.replaceAll('\r\n', '')).not.toContain('\n')
    },
  )

  it('is replaced where it stands', () => {
    const next = section.put(section.put('# Mine\n', TEXT) + '\n# More\n', {
      ...TEXT,
      value: 'New.',
    })
    expect(next).toMatch(
      /^# Mine\n\n<!-- waymark:begin.*-->\nNew\.\n<!-- waymark:end -->\n\n# More\n$/,
    )
  })

  it.each([
    '<!-- waymark:end -->\n',
    '<!-- waymark:begin -->\n',
    '<!-- waymark:end -->\n<!-- waymark:begin -->\n',
  ])('is refused when its marks are broken: %j', (text) => {
    expect(() => section.put(text, TEXT)).toThrow('must have one line `<!-- waymark:begin')
  })
})
