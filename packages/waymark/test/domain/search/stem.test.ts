import { describe, expect, it } from 'vitest'
import { stemOf } from '../../../src/search/text/stem.ts'

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
})
