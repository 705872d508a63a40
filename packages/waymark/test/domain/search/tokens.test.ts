import { describe, expect, it } from 'vitest'
import { tokensOf, wordsOf } from '../../../src/search/text/document.ts'

const terms = (text: string) => [...tokensOf(text)].map(({ term }) => term)
const joined = (text: string) => [...wordsOf(text)].flatMap((word) => word.joined ?? [])

describe('what a text is found by', () => {
  it.each([
    ['getUserById', ['get', 'user', 'by', 'id'], ['getuserbyid']],
    ['XMLHttpRequest', ['xml', 'http', 'request'], ['xmlhttprequest']],
    ['task_ready', ['task', 'ready'], ['taskready']],
    ['MAX_BATCH_SIZE', ['max', 'batch', 'size'], ['maxbatchsize']],
    ['src/store/sql.ts', ['src', 'store', 'sql', 'ts'], ['sqlts']],
    ['node.js, C++ and C#', ['node', 'js', 'cplusplus', 'and', 'csharp'], ['nodejs']],
    ['PostgreSQL', ['postgre', 'sql'], ['postgresql']],
    ['two APIs', ['two', 'apis'], []],
    ['utf8 sha256', ['utf8', 'sha256'], []],
    ['Crème brûlée, Straße', ['creme', 'brulee', 'strasse'], []],
    ['e-mail', ['e', 'mail'], ['email']],
    ['数据库', ['数', '据', '库'], []],
    ['한국어', ['한국어'], []],
    ['', [], []],
    ['-- *** "" ()', [], []],
  ])('%j', (text, parts, whole) => {
    expect(terms(text)).toEqual(parts)
    expect(joined(text)).toEqual(whole)
  })

  it('knows where each term stands', () => {
    const text = 'a getUser in «Größe»'
    const pieces = [...tokensOf(text)].map(({ start, end }) => text.slice(start, end))
    expect(pieces).toEqual(['a', 'get', 'User', 'in', 'Größe'])
  })

  it('a character written in two ways is the same', () => {
    expect(terms('e\u0301tude')).toEqual(terms('\u00e9tude'))
  })

  it('a run without end is cut, not refused', () => {
    expect(terms('x'.repeat(100_000))).toEqual(['x'.repeat(64)])
  })
})
