import { describe, expect, it } from 'vitest'
import { toConcepts } from '../../../src/search/text/plan.ts'
import { parseWords } from '../../../src/search/text/query.ts'
import { toSnippet } from '../../../src/search/text/snippet.ts'

const snippet = (text: string, query: string) =>
  toSnippet(
    text,
    toConcepts(parseWords(query)).map(({ alternatives }) => alternatives),
  )

const FILLER = 'lorem ipsum dolor sit amet '.repeat(20)

describe('snippets', () => {
  it('marks words, their other forms, and names in parts', () => {
    expect(snippet('The cache, caching and getUserById', 'cache user')).toBe(
      'The <mark>cache</mark>, <mark>caching</mark> and get<mark>User</mark>ById',
    )
  })

  it('marks a name however it was typed', () => {
    for (const query of ['getUserById', 'getuserbyid', 'get_user_by_id', '"get user by id"']) {
      expect(snippet('call getUserById now', query)).toBe('call <mark>getUserById</mark> now')
    }
  })

  it('shows the place with the most of what was looked for', () => {
    const text = `redis once. ${FILLER} the redis session store ${FILLER}`
    const shown = snippet(text, 'redis session')
    expect(shown).toContain('<mark>redis</mark> <mark>session</mark> store')
    expect(shown.startsWith('…')).toBe(true)
    expect(shown.endsWith('…')).toBe(true)
  })

  it('begins with the sentence that matches, unless it is far away', () => {
    const sentence = 'The queen of the garden is limited to ten apples.'
    expect(snippet(`${FILLER}. ${sentence} ${FILLER}`, 'limited apples')).toMatch(
      /^…The queen of the garden is <mark>limited/,
    )
    expect(snippet(`${FILLER} ${sentence} ${FILLER}`, 'limited apples')).toMatch(
      /^…of the garden is <mark>limited/,
    )
  })

  it('is one short line whatever the text', () => {
    const text = `${'x'.repeat(50_000)}\n\n${'needle '.repeat(20_000)}`
    const shown = snippet(text, 'needle')
    expect(shown).not.toContain('\n')
    expect(shown.length).toBeLessThan(700)
  })

  it('never cuts a character in two', () => {
    expect(snippet(`a${'🧭'.repeat(500)}`, 'a').isWellFormed()).toBe(true)
  })

  it('without a hit shows the beginning', () => {
    expect(snippet('Only the title matched', 'nothing')).toBe('Only the title matched')
    expect(snippet('', 'nothing')).toBe('')
  })
})
