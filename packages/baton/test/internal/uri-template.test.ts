import { describe, expect, test } from 'vitest'
import { parseUriTemplate } from '../../src/internal/uri-template.ts'

test.each([
  ['a://{id}', 'a://1', { id: '1' }],
  ['a://{id}', 'a://', undefined],
  ['a://{id}', 'a://1/2', undefined],
  ['a://{id}/end', 'a://1/end', { id: '1' }],
  ['a://{id}/end', 'a://1/end/end', undefined],
  ['a://{x}/{y}', 'a://1/2', { x: '1', y: '2' }],
  ['a://{x}-{y}', 'a://1-2-3', { x: '1', y: '2-3' }],
  ['a://{+path}', 'a://1/2?q#f', { path: '1/2?q#f' }],
  ['a://{+path}/raw', 'a://raw/raw/raw', { path: 'raw/raw' }],
  ['a://x{#part}', 'a://x#top', { part: 'top' }],
  ['a://x{#part}', 'a://xtop', undefined],
  ['a://{id}', 'a://%C3%BC%2F', { id: 'ü/' }],
  ['a://{id}', 'a://%FF', undefined],
  ['a://fixed', 'a://fixed', {}],
  ['a://fixed', 'a://fixed2', undefined],
])('%s against %s', (template, uri, expected) => {
  expect(parseUriTemplate(template).match(uri)).toEqual(expected)
})

describe('templates that are refused', () => {
  test.each(['a://{x}{y}', 'a://{x', 'a://{}', 'a://{?q}', 'a://{x,y}', 'a://{x*}', 'a://{x}/{x}'])(
    '%s',
    (template) => expect(() => parseUriTemplate(template)).toThrow(TypeError),
  )
})

test('a hostile URI is matched in linear time', () => {
  const template = parseUriTemplate('a://{+a}/x{+b}/x{+c}/x{+d}/y')
  expect(template.match(`a://${'/x'.repeat(500_000)}`)).toBeUndefined()
})
