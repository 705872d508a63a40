import { readFileSync } from 'node:fs'
import * as root from '@waymark/baton'
import * as http from '@waymark/baton/http'
import * as node from '@waymark/baton/node'
import { expect, test } from 'vitest'

const SOURCES = new URL('../../src/', import.meta.url)
const EXPORTED_NAME = /^\s+(?:type )?(\w+),?$|export (?:type )?\{ (.+) \} from/gm

/** Every name that an entry exports, types included. */
function namesOf(entry: string): string[] {
  const text = readFileSync(new URL(entry, SOURCES), 'utf8')
  const names = [...text.matchAll(EXPORTED_NAME)].flatMap(([, one, several]) =>
    one === undefined ? (several ?? '').split(', ') : [one],
  )
  return names.toSorted()
}

/** Every module that an entry loads, directly or not, by what its import says. */
function importsOf(module: URL, seen = new Map<string, string[]>()): Map<string, string[]> {
  if (seen.has(module.href)) return seen
  const text = readFileSync(module, 'utf8')
  const specifiers = [...text.matchAll(/^(?:import|export) (?!type ).*?from '(.+?)'/gms)].map(
    ([, specifier]) => specifier ?? '',
  )
  seen.set(module.href, specifiers)
  for (const specifier of specifiers) {
    if (specifier.startsWith('.')) importsOf(new URL(specifier, module), seen)
  }
  return seen
}

test('the root entry exports these names and no others [public-surface-root-entry]', () => {
  expect(namesOf('index.ts')).toMatchSnapshot()
  expect(Object.keys(root).toSorted()).toMatchSnapshot('values')
})

test('the HTTP entry exports these names and no others', () => {
  expect(namesOf('http.ts')).toMatchSnapshot()
  expect(Object.keys(http).toSorted()).toMatchSnapshot('values')
})

test('the node entry exports these names and no others', () => {
  expect(namesOf('node.ts')).toMatchSnapshot()
  expect(Object.keys(node).toSorted()).toMatchSnapshot('values')
})

test.each(['index.ts', 'http.ts'])(
  '%s loads nothing of Node and no package but its own files [public-surface-own-files]',
  (entry) => {
    const loaded = [...importsOf(new URL(entry, SOURCES)).values()].flat()
    expect(loaded.filter((specifier) => !specifier.startsWith('.'))).toEqual([])
  },
)

test('the node entry loads neither HTTP nor SQLite at first', () => {
  const loaded = [...importsOf(new URL('node.ts', SOURCES)).keys()].join()
  for (const heavy of [
    'http-handler.ts',
    'fetch-adapter.ts',
    'sqlite/session-store.ts',
    'access-token.ts',
  ])
    expect(loaded).not.toContain(heavy)
})

test('stdio imports no package', () => {
  const loaded = [...importsOf(new URL('transport/stdio.ts', SOURCES)).values()].flat()
  expect(loaded.filter((specifier) => !specifier.startsWith('.'))).toEqual([])
})
