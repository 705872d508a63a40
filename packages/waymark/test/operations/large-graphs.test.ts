import { describe, expect, it, vi } from 'vitest'
import type { Context } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { cyclesOf } from '../../src/graph/cycles-of.ts'
import { listCycles, showImpact, showNeighbours, showPath } from '../../src/graph/operations.ts'
import { exportGraph, listGraph } from '../../src/graph/export.ts'
import { Connection } from '@waymark/sqlite'
import { cliqueOf, ringOf, setupGraph, starOf } from './large-graph.ts'
import { type EntityId, toEntityId } from '../../src/entity/entity-id.ts'

/** The long form has 100,000 edges. */
const EDGES = Number(process.env['WAYMARK_EDGES'] ?? 2_500)
const MEMBERS = Math.ceil(Math.sqrt(EDGES))

/** More than this one statement must not read: nobody else has a turn meanwhile. The clock is no judge of that. */
const MOST_ROWS = 500
/** The longest list has 1,000 entities, each read with its size; then comes the first page of their relations. */
const MOST_PAGES = 5

interface MostRows {
  readonly statement: number
  /** Between two moments at which others have their turn. */
  readonly turn: number
}

/** The largest number of rows that a statement has answered with, and that were read before others had a turn. */
async function mostRowsOf(work: () => Promise<unknown>): Promise<MostRows> {
  const spy = vi.spyOn(Connection.prototype, 'all')
  // Somebody else, who always wants a turn.
  const ends: number[] = []
  let other = setImmediate(function next() {
    ends.push(spy.mock.results.length)
    other = setImmediate(next)
  })
  await work()
  clearImmediate(other)
  const all = spy.mock.results.map(({ value }) => (value as unknown[]).length)
  spy.mockRestore()
  const turns = [...ends, all.length].map((end, at) => sum(all.slice(ends[at - 1] ?? 0, end)))
  return { statement: Math.max(...all), turn: Math.max(...turns) }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

const QUESTIONS: Readonly<Record<string, (context: Context) => Promise<unknown>>> = {
  'what is around it': (context) =>
    execute(context, showNeighbours, { id: '1', budget: 500, depth: 9 }),
  'what leans on it': (context) => execute(context, showImpact, { id: '2', depth: 9 }),
  'a path': (context) => execute(context, showPath, { from: '2', to: String(MEMBERS) }),
  'a path along nothing': (context) =>
    execute(context, showPath, { from: '1', to: '2', types: ['blocks'] }),
  circles: (context) => execute(context, listCycles, { types: ['references'] }),
  'a drawing': (context) => execute(context, exportGraph, { budget: 20_000 }),
  'a drawing around it': (context) => execute(context, exportGraph, { id: '1', budget: 20_000 }),
  everything: (context) => execute(context, listGraph, { limit: 1000 }),
}

/** Those that read edges by the page, one after the other. */
const LONG_QUESTIONS = Object.fromEntries(
  ['what is around it', 'circles', 'a drawing', 'everything'].map((name) => [
    name,
    QUESTIONS[name]!,
  ]),
)

describe.each([
  ['a star', EDGES + 1, () => starOf(EDGES)],
  ['a clique', MEMBERS, () => cliqueOf(MEMBERS)],
])('of %s', (_, count, edges) => {
  it('no question reads more than a page at once, nor more than five before others have a turn [large-graphs-question-reads]', async () => {
    await using project = await setupGraph(count, edges())
    const most: Record<string, MostRows> = {}
    for (const [name, ask] of Object.entries(QUESTIONS)) {
      most[name] = await mostRowsOf(() => ask(project.context))
    }
    const names = Object.entries(most).filter(
      ([, { statement, turn }]) => statement > MOST_ROWS || turn > MOST_PAGES * MOST_ROWS,
    )
    expect(names).toEqual([])
    // The pages were full: with fewer edges nothing would have been shown.
    expect(Math.max(...Object.values(most).map(({ statement }) => statement))).toBe(MOST_ROWS)
  })

  it('whoever gives up is heard between two pages [large-graphs-whoever-gives]', async () => {
    await using project = await setupGraph(count, edges())
    for (const [name, ask] of Object.entries(LONG_QUESTIONS)) {
      const controller = new AbortController()
      const spy = vi.spyOn(Connection.prototype, 'all')
      spy.mockImplementationOnce(function (this: Connection, sql, values) {
        controller.abort()
        return this.all(sql, values)
      })
      const context = project.as('tester', { signal: controller.signal })
      await expect(ask(context), name).rejects.toMatchObject({ code: 'cancelled' })
      // What was under way comes to its end; what would have followed is several times as much.
      expect(spy.mock.calls.length, name).toBeLessThanOrEqual(7)
      spy.mockRestore()
    }
  })
})

it('pages put together are all edges, in each direction, once', async () => {
  await using project = await setupGraph(1_203, [...starOf(1_202), [2, 1], [3, 1], [3, 2]])
  const { graph } = project.context.store
  const all = project.ids.slice(1, 4).map(toEntityId)
  const count = async (ids: readonly EntityId[], direction: 'from' | 'to' | 'both') => {
    const seen = []
    for await (const edges of graph.edgesOf(ids, { direction })) seen.push(...edges)
    const names = new Set(seen.map(({ sourceId, targetId }) => `${sourceId} ${targetId}`))
    return [seen.length, names.size]
  }
  expect(await count(all, 'from')).toEqual([1_205, 1_205])
  expect(await count(all, 'to')).toEqual([5, 5])
  expect(await count(all, 'both')).toEqual([1_210, 1_205])
  expect(await count(project.ids.slice(1).map(toEntityId), 'from')).toEqual([1_205, 1_205])
  expect(await count(project.ids.slice(1).map(toEntityId), 'to')).toEqual([1_205, 1_205])
  let every = 0
  for await (const edges of graph.edges()) every += edges.length
  expect(every).toBe(1_205)
})

it('a circle is found behind any number of other relations, and what was not looked at is told', async () => {
  const rings = [...ringOf(1_500, 'references'), ...ringOf(1_500, 'blocks')]
  await using project = await setupGraph(1_500, rings)
  const whole = await cyclesOf(project.context, ['blocks'], { most: 2_000 })
  expect(whole.cycles.map(({ length }) => length)).toEqual([1_500])
  expect(whole.isCut).toBe(false)
  const part = await cyclesOf(project.context, ['blocks'], { most: 1_000 })
  expect(part).toEqual({ cycles: [], isCut: true })
})

it('pages of the whole graph leave out no relation, but for one that has more than a page', async () => {
  const from = (source: number, count: number) =>
    Array.from({ length: count }, (_, at) => [source, at + 10] as const)
  const edges = [...from(1, 3_000), ...from(2, 3_000), ...from(3, 5_001), [4, 1] as const]
  await using project = await setupGraph(5_010, edges)
  const counts: Record<number, number> = {}
  const cut: (readonly number[])[] = []
  for (let offset = 0, total = 1; offset < total;) {
    const page = await execute(project.context, listGraph, { limit: 1_000, offset })
    for (const { source_id: source } of page.relations) {
      const number = project.ids.indexOf(source)
      counts[number] = (counts[number] ?? 0) + 1
    }
    if (page.truncated === true) cut.push(page.entities.map(({ number }) => number))
    total = page.entity_count
    offset += page.limit
  }
  expect(counts).toEqual({ 1: 3_000, 2: 3_000, 3: 5_000, 4: 1 })
  expect(cut).toEqual([[3]])
})
