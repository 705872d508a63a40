import * as root from '@waymark/cas'
import * as http from '@waymark/cas/http'
import { expect, test } from 'vitest'

test('the entries export these values and no others', () => {
  expect(Object.keys(root).toSorted()).toEqual([
    'ContentError',
    'createContentStore',
    'detectMime',
    'isContentHash',
  ])
  expect(Object.keys(http).toSorted()).toEqual(['createContentHandler'])
})
