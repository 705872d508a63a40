import { describe, expect, it } from 'vitest'
import { cutText, findSection, hashText, parseSectionReference } from '../../src/task/spec/prd.ts'

const DOCUMENT = `# Product

Intro.

## Sign in {#auth}

Users sign in.

\`\`\`sh
# not a heading
## Sign out
\`\`\`

### Tokens

They expire.

## Sign out

Bye.
`

describe('finding a section', () => {
  it.each([
    ['its explicit id', 'auth'],
    ['its heading', 'Sign in'],
    ['its heading as a link', '#sign-in'],
  ])('by %s, up to the next heading of its level', (_, anchor) => {
    const section = findSection(DOCUMENT, parseSectionReference(anchor))
    expect(section).toMatch(/^## Sign in/)
    expect(section).toMatch(/They expire\.$/)
  })

  it('headings inside code are not headings', () => {
    expect(findSection(DOCUMENT, { anchor: 'not a heading' })).toBeUndefined()
    expect(findSection(DOCUMENT, { anchor: 'sign-out' })).toBe('## Sign out\n\nBye.')
  })

  it('the beginning of a heading will do when no heading fits exactly', () => {
    expect(findSection(DOCUMENT, { anchor: 'tok' })).toBe('### Tokens\n\nThey expire.')
    expect(findSection(DOCUMENT, { anchor: 'nothing like it' })).toBeUndefined()
  })

  it('lines are taken as they are', () => {
    expect(findSection(DOCUMENT, parseSectionReference('auth:1-3'))).toBe('# Product\n\nIntro.')
    expect(findSection(DOCUMENT, parseSectionReference('auth:900-901'))).toBeUndefined()
  })
})

it('line endings and blanks at their ends make no difference, words do', () => {
  expect(hashText('a  \r\nb\n')).toBe(hashText('a\nb'))
  expect(hashText('a\nc')).not.toBe(hashText('a\nb'))
})

it.each([
  ['blanks', `${' '.repeat(200_000)}x\n`],
  ['a heading of blanks', `# a${' '.repeat(200_000)}x`],
  ['a heading of marks', `# a ${'# '.repeat(100_000)}x`],
  ['a heading of ids', `# ${'{#a'.repeat(100_000)}`],
])('a hostile document of %s takes no more than linear time', (_, text) => {
  expect(findSection(text, { anchor: 'none' })).toBeUndefined()
  expect(hashText(text)).toHaveLength(64)
})

describe('cutting', () => {
  it('happens between paragraphs, else between words', () => {
    expect(cutText('short', 10)).toEqual({ text: 'short', isCut: false })
    expect(cutText('one two three\n\nfour five', 20)).toEqual({
      text: 'one two three...',
      isCut: true,
    })
    expect(cutText('one two three four', 10)).toEqual({ text: 'one two...', isCut: true })
    expect(cutText('x'.repeat(20), 10)).toEqual({ text: `${'x'.repeat(10)}...`, isCut: true })
  })
})
