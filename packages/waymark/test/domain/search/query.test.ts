import { describe, expect, it } from 'vitest'
import { parseSearchQuery, parseWords } from '../../../src/search/text/query.ts'

const typed = (wanted: ReturnType<typeof parseWords>) =>
  wanted.map(({ spellings, quoted }) => `${quoted ? '"' : ''}${spellings[0]?.join(' ') ?? ''}`)

describe('reading a query', () => {
  it('words, phrases and filters are told apart', () => {
    const { wanted, filter } = parseSearchQuery(
      'auth "refresh token" type:Decision status:in-progress tag:db tag:"big data" flow',
    )
    expect(typed(wanted)).toEqual(['auth', '"refresh token', 'flow'])
    expect(filter).toEqual({
      type: 'decision',
      statuses: ['in_progress'],
      tags: ['db', 'big data'],
    })
  })

  it.each([
    ['created:>2026-11-15', { createdAfter: Date.parse('2026-11-15T00:00:00Z') }],
    ['created:<2026-11-15', { createdBefore: Date.parse('2026-11-15T23:59:59.999Z') }],
    [
      'created:2026-11-15',
      {
        createdAfter: Date.parse('2026-11-15T00:00:00Z'),
        createdBefore: Date.parse('2026-11-15T23:59:59.999Z'),
      },
    ],
    ['created:>=2026-11-15T10:00:00Z', { createdAfter: Date.parse('2026-11-15T10:00:00Z') }],
  ])('%s', (text, filter) => {
    expect(parseSearchQuery(text)).toEqual({ wanted: [], filter, text: '' })
  })

  it.each(['created:>soon', 'created:>2026-13-01', 'created:yesterday'])(
    '%s is refused and says how to mean the text',
    (text) => {
      expect(() => parseSearchQuery(text)).toThrow('put it in quotes')
    },
  )

  it('a filter in quotes, or without a value, is text', () => {
    expect(typed(parseSearchQuery('"type:string" tag: x').wanted)).toEqual([
      '"type string',
      'tag',
      'x',
    ])
  })

  it('other words with a colon are text', () => {
    expect(typed(parseSearchQuery('http://example.org foo:bar').wanted)).toEqual([
      'http',
      'example org',
      'foo',
      'bar',
    ])
  })

  it('plain words know no filters', () => {
    expect(typed(parseWords('type:decision NOT "a b'))).toEqual(['type', 'decision', 'not', '"a b'])
  })

  it('a word typed twice is wanted once', () => {
    expect(typed(parseWords('cache Cache CACHE'))).toEqual(['cache'])
  })
})
