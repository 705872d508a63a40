import { expect, it } from 'vitest'
import { findCycles } from '../../src/graph/cycles.ts'
import { type EntityId, toEntityId } from '../../src/entity/entity-id.ts'

function cyclesOf(...edges: readonly string[]): readonly (readonly string[])[] {
  const search = findCycles(targetsOf(edges))
  for (;;) {
    const step = search.next()
    if (step.done === true) return step.value
  }
}

function targetsOf(edges: readonly string[]): Map<EntityId, EntityId[]> {
  const targets = new Map<EntityId, EntityId[]>()
  for (const edge of edges) {
    const [source = toEntityId(''), target = toEntityId('')] = edge.split('>').map(toEntityId)
    targets.set(source, [...(targets.get(source) ?? []), target])
  }
  return targets
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

it('a chain of many is no circle, and overflows nothing', () => {
  const chain = Array.from({ length: 50_000 }, (_, at) => `${at}>${at + 1}`)
  expect(cyclesOf(...chain)).toEqual([])
})

it('a long search offers to pause again and again', () => {
  const chain = Array.from({ length: 20_000 }, (_, at) => `${at}>${at + 1}`)
  expect([...findCycles(targetsOf(chain))].length).toBeGreaterThan(5)
})
