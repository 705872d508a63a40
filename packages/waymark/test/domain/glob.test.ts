import { describe, expect, it } from 'vitest'
import { covers, overlaps } from '../../src/domain/glob.ts'

describe('patterns that share a file', () => {
  it.each([
    ['src/api.ts', 'src/api.ts'],
    ['src/api', 'src/api/users.ts'],
    ['./src/api/', 'src/api'],
    ['src\\api', 'src/api'],
    ['src/**', 'src/a/b/c.ts'],
    ['src/**', 'src'],
    ['**', 'anything/at/all'],
    ['src/*.ts', 'src/index.ts'],
    ['src/*.ts', 'src/i*'],
    ['src/**/*.test.ts', 'src/a/b.test.ts'],
    ['src/**/*.test.ts', '**/b.*'],
    ['src/{api,web}/*.ts', 'src/web/a.ts'],
    ['src/???.ts', 'src/api.ts'],
    ['src/[ab]pi.ts', 'src/api.ts'],
    ['a/*/c', 'a/b/*'],
    ['a*b*c', 'axbyc'],
    ['**/a', 'b/**/a'],
  ])('%s and %s', (one, other) => {
    expect(overlaps(one, other)).toBe(true)
    expect(overlaps(other, one)).toBe(true)
  })
})

describe('patterns that share none', () => {
  it.each([
    ['src/api', 'src/apis'],
    ['src/api', 'src/web'],
    ['src/*.ts', 'src/index.js'],
    ['src/*.ts', 'src/a/index.ts'],
    ['src/**/*.test.ts', 'src/a.ts'],
    ['src/{api,web}', 'src/db'],
    ['src/??.ts', 'src/api.ts'],
    ['a*b', 'a*c/**'],
    ['docs/**', 'src/**'],
  ])('%s and %s', (one, other) => {
    expect(overlaps(one, other)).toBe(false)
    expect(overlaps(other, one)).toBe(false)
  })
})

describe('files that a pattern covers', () => {
  it.each([
    ['src/api', 'src/api/users/list.ts', true],
    ['src/api/**', 'src/api', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/a/b.ts', false],
    ['**/*.test.ts', 'a.test.ts', true],
    ['**/*.test.ts', 'x/y/a.test.ts', true],
    ['a.ts', 'aXts', false],
    ['src/{a,b}.ts', 'src/b.ts', true],
    ['pages/a.tsx', 'pages/[id].tsx', false],
    ['pages/[id].tsx', 'pages/[id].tsx', true],
    ['pages/*.tsx', 'pages/[id].tsx', true],
  ])('%s, %s: %s', (pattern, file, expected) => {
    expect(covers(pattern, file)).toBe(expected)
  })
})

describe('folders of which a pattern may cover something', () => {
  it.each([
    ['src/session/**', 'src', true],
    ['src/session/**', 'docs', false],
    ['**/*.test.ts', 'src', true],
    ['src/*.ts', 'src/a', false],
    ['src/main.ts', '', true],
  ])('%s, %s: %s', (pattern, folder, expected) => {
    expect(covers(pattern, folder, { isFolder: true })).toBe(expected)
  })
})

describe('names that a file system may take for one', () => {
  it.each([
    ['README', 'readme'],
    ['docs/Ünï.md', 'docs/u\u0308ni\u0308.md'],
    ['straße.txt', 'STRASSE.TXT'],
    ['a/../src/x.ts', 'src/x.ts'],
  ])('%s and %s', (one, other) => {
    expect(covers(one, other)).toBe(true)
    expect(covers(other, one)).toBe(true)
    expect(overlaps(one, other)).toBe(true)
  })
})
