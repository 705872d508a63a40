import { describe, expect, it } from 'vitest'
import { mayStemTo, stemOf } from '../../../src/search/text/stem.ts'

describe('stems', () => {
  // Pairs from the vocabulary that Snowball publishes with the algorithm.
  it.each([
    'consign consigned consigning consignment:consign',
    'consist consistency consistently consists:consist',
    'knightly knights:knight',
    'generally general:general',
    'generate generated generates:generat',
    'communication communicate:communic',
    'hopping hopped:hop',
    'hoping hoped:hope',
    'happy happiness:happi',
    'relational relate:relat',
    'skies sky:sky',
    'news:news',
    'proceed proceeding:proceed',
  ])('%s', (line) => {
    const [words = '', stem] = line.split(':')
    expect(new Set(words.split(' ').map(stemOf))).toEqual(new Set([stem]))
  })

  it.each([
    ['sent', 'send'],
    ['written', 'write'],
    ['children', 'child'],
    ['indices', 'index'],
  ])('%s is a form of %s [stem-irregular]', (form, word) => {
    expect(stemOf(form)).toBe(stemOf(word))
  })

  it.each(['据', '40p01', 'sha256', 'größe', ''])('%j stays as it is', (term) => {
    expect(stemOf(term)).toBe(term)
  })

  it('of a word may begin with its letter, that of an irregular form with any', () => {
    const words = 'consigned skies hopping happiness relational sent went ate written über 3rd'
    for (const word of words.split(' '))
      expect(mayStemTo(new Set([stemOf(word).charCodeAt(0)]), word)).toBe(true)
    expect(mayStemTo(new Set(['x'.charCodeAt(0)]), 'consigned')).toBe(false)
  })
})
