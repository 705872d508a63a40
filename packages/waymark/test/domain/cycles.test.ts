import { expect, it } from 'vitest'
import { findCycles } from '../../src/domain/cycles.ts'

function cyclesOf(...edges: readonly string[]) {
  return findCycles(
    edges.map((edge) => {
      const [sourceId = '', targetId = ''] = edge.split('>')
      return { sourceId, targetId, type: 'references' }
    }),
  )
}

it('a shorter way round wins though a longer one goes through the first of the group', () => {
  expect(cyclesOf('b>c', 'c>a', 'a>b', 'c>b')).toEqual([['b', 'c']])
})

it('an entity that points to itself is the shortest of all', () => {
  expect(cyclesOf('a>b', 'b>a', 'b>b')).toEqual([['b']])
})

it('of equally short ones the first by id is shown, whatever the order of the edges', () => {
  const edges = ['a>b', 'b>a', 'b>c', 'c>b']
  expect(cyclesOf(...edges)).toEqual([['a', 'b']])
  expect(cyclesOf(...edges.toReversed())).toEqual([['a', 'b']])
})

it('groups apart from each other are each found, and a chain is none', () => {
  expect(cyclesOf('a>b', 'b>a', 'c>d', 'd>c', 'e>f', 'b>e')).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
})

it('a ring of 20,000 is found', () => {
  const ring = Array.from({ length: 20_000 }, (_, at) => `${at}>${(at + 1) % 20_000}`)
  expect(cyclesOf(...ring)[0]).toHaveLength(20_000)
})
