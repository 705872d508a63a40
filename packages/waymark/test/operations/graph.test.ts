import { describe, expect, it } from 'vitest'
import type { Context } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { createEntity } from '../../src/entity/operations.ts'
import {
  listCycles,
  listOrphans,
  showImpact,
  showNeighbours,
  showPath,
} from '../../src/graph/operations.ts'
import { exportGraph, listGraph } from '../../src/graph/export.ts'
import { createRelation } from '../../src/relation/operations.ts'
import { setup } from '../setup.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'

/** Entities 1…n as notes, and edges written as `1 blocks 2`. */
async function graphOf(count: number, ...edges: readonly string[]) {
  const project = await setup()
  for (let at = 1; at <= count; at += 1) {
    await execute(project.context, createEntity, { type: 'note', title: `N${at}` })
  }
  for (const edge of edges) await link(project.context, edge)
  return project
}

async function link(context: Context, edge: string) {
  const [source, type, target] = edge.split(' ')
  await execute(context, createRelation, { source, type, target })
}

const numbers = (rows: readonly { number: number }[]) => rows.map(({ number }) => number)

describe('around an entity', () => {
  it('neighbours in both directions, and the relations between them', async () => {
    await using project = await graphOf(
      5,
      '1 references 2',
      '3 documents 1',
      '2 references 3',
      '3 references 4',
    )
    const found = await execute(project.context, showNeighbours, { id: '1' })
    expect(numbers(found.nodes)).toEqual([2, 3])
    expect(found.edges).toEqual(
      expect.arrayContaining([
        { source: 1, type: 'references', target: 2 },
        { source: 3, type: 'documents', target: 1 },
        { source: 2, type: 'references', target: 3 },
      ]),
    )
    expect(found.edges).toHaveLength(3)
    expect(found).toMatchObject({ entity: { number: 1 }, truncated: false })
  })

  it.each([
    [{ direction: 'from' }, [2]],
    [{ direction: 'to' }, [3]],
    [{ depth: 2 }, [2, 3, 4]],
    [{ types: ['documents'] }, [3]],
    [{ depth: 5, types: ['references'] }, [2]],
  ])('%o', async (options, expected) => {
    await using project = await graphOf(4, '1 references 2', '3 documents 1', '3 documents 4')
    const found = await execute(project.context, showNeighbours, { id: '1', ...options })
    expect(numbers(found.nodes)).toEqual(expected)
  })

  it('stops when the budget is spent, nearest first, and says so [graph-stops-budget]', async () => {
    await using project = await graphOf(
      6,
      '1 references 2',
      '1 references 3',
      '2 references 4',
      '4 references 5',
      '5 references 6',
    )
    const found = await execute(project.context, showNeighbours, { id: '1', depth: 9, budget: 3 })
    expect(numbers(found.nodes)).toEqual([2, 3, 4])
    expect(found.truncated).toBe(true)
  })

  it('an answer stays under 10 kB, twice told as MCP does', async () => {
    await using project = await setup()
    const { context } = project
    await execute(context, createEntity, { type: 'component', title: 'Hub' })
    for (let at = 0; at < 60; at += 1) {
      await execute(context, createEntity, {
        type: 'note',
        title: `"quoted" ${'x'.repeat(300)}`,
        relations: ['documents:1'],
      })
    }
    const found = await execute(context, showNeighbours, { id: '1' })
    const text = JSON.stringify(found)
    expect(Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text))).toBeLessThan(10_000)
    expect(found.truncated).toBe(true)
  })
})

describe('paths', () => {
  it('the shortest one, whichever way the relations point', async () => {
    await using project = await graphOf(
      7,
      '1 references 2',
      '3 references 2',
      '3 documents 4',
      '1 references 5',
      '5 references 6',
      '6 references 7',
      '7 references 4',
    )
    const found = await execute(project.context, showPath, { from: '1', to: '4' })
    expect(found.length).toBe(3)
    expect(numbers(found.path)).toEqual([1, 2, 3, 4])
    expect(found.relations).toEqual([
      { source: 1, type: 'references', target: 2 },
      { source: 3, type: 'references', target: 2 },
      { source: 3, type: 'documents', target: 4 },
    ])
  })

  it('from an entity to itself there is nowhere to go', async () => {
    await using project = await graphOf(1)
    expect(await execute(project.context, showPath, { from: '1', to: '1' })).toMatchObject({
      path: [{ number: 1 }],
      length: 0,
    })
  })

  it('none is an empty one', async () => {
    await using project = await graphOf(3, '1 references 2')
    expect(await execute(project.context, showPath, { from: '1', to: '3' })).toEqual({
      path: [],
      relations: [],
      length: null,
    })
  })

  it('is not looked for beyond the depth [graph-looked-beyond]', async () => {
    const chain = Array.from({ length: 12 }, (_, at) => `${at + 1} references ${at + 2}`)
    await using project = await graphOf(13, ...chain)
    const length = async (to: string, options = {}) =>
      (await execute(project.context, showPath, { from: '1', to, ...options })).length
    expect(await length('11')).toBe(10)
    expect(await length('12')).toBeNull()
    expect(await length('12', { max_depth: 11 })).toBe(11)
    expect(await length('13', { max_depth: 100 })).toBe(12)
  })

  it.each([
    [{ from: '1', to: '9' }, 'not_found', 'to'],
    [{ from: '9', to: '1' }, 'not_found', 'from'],
    [{ from: '1', to: '1', max_depth: 0 }, 'invalid_input', 'max_depth'],
    [{ from: '1', to: '1', max_depth: 101 }, 'invalid_input', 'max_depth'],
    [{ from: '1' }, 'invalid_input', 'to'],
  ])('%o is refused', async (input, code, field) => {
    await using project = await graphOf(1)
    await expect(execute(project.context, showPath, input)).rejects.toMatchObject({
      code,
      details: { field },
    })
  })
})

describe('orphans', () => {
  it('are what no relation touches', async () => {
    await using project = await graphOf(4, '1 references 2')
    await execute(project.context, createEntity, { type: 'task', title: 'T' })
    const orphans = async (input: object) => {
      const { orphans, total } = await execute(project.context, listOrphans, input)
      return [numbers(orphans), total]
    }
    expect(await orphans({})).toEqual([[3, 4, 5], 3])
    expect(await orphans({ type: 'tasks' })).toEqual([[5], 1])
    expect(await orphans({ limit: 1, offset: 1 })).toEqual([[4], 3])
  })
})

describe('cycles', () => {
  it('are found with the shortest way round [graph-found-shortest]', async () => {
    await using project = await graphOf(
      6,
      '1 references 2',
      '2 references 3',
      '3 references 1',
      '2 references 1',
      '4 references 5',
      '5 references 6',
    )
    const found = await execute(project.context, listCycles, { types: ['references'] })
    expect(found.total).toBe(1)
    expect(found.cycles).toHaveLength(1)
    expect(new Set(numbers(found.cycles[0] ?? []))).toEqual(new Set([1, 2]))
  })

  it('a merge of two clones may close one that no single step could', async () => {
    await using project = await graphOf(2)
    const [a, b] = await project.context.store.entities.after(0, 2)
    const edge = { type: 'blocks', properties: {}, createdAt: 1, createdBy: null }
    await project.context.store.write(async (tx) => {
      await tx.relations.insert({
        ...edge,
        sourceId: toEntityId(a?.id ?? ''),
        targetId: toEntityId(b?.id ?? ''),
      })
      await tx.relations.insert({
        ...edge,
        sourceId: toEntityId(b?.id ?? ''),
        targetId: toEntityId(a?.id ?? ''),
      })
    })
    expect((await execute(project.context, listCycles, {})).total).toBe(1)
  })
})

describe('impact', () => {
  it('is what leans on an entity: implementers, what they block, and what documents it [graph-leans-entity]', async () => {
    await using project = await setup()
    const { context } = project
    const make = (type: string, title: string) => execute(context, createEntity, { type, title })
    await make('decision', 'Use SQLite')
    await make('task', 'Add the driver')
    await make('task', 'Write queries')
    await make('note', 'How we store')
    await make('decision', 'Older choice')
    await make('task', 'Get a licence')
    for (const edge of [
      '2 implements 1',
      '2 blocks 3',
      '4 documents 1',
      '1 supersedes 5',
      '6 blocks 2',
    ]) {
      await link(context, edge)
    }
    const found = await execute(context, showImpact, { id: '1' })
    expect(found.nodes.map(({ number, depth }) => [number, depth])).toEqual([
      [2, 1],
      [4, 1],
      [3, 2],
    ])
  })
})

describe('drawings', () => {
  const HOSTILE = 'He said "x" ] --> evil\n  n9[pwned] \\ <script>\u202e'

  async function hostile() {
    const project = await setup()
    await execute(project.context, createEntity, { type: 'decision', title: HOSTILE })
    await execute(project.context, createEntity, {
      type: 'task',
      title: 'Do it',
      relations: ['implements:1'],
    })
    return project
  }

  it('Mermaid: every line is one of ours, whatever a title holds [graph-mermaid-every]', async () => {
    await using project = await hostile()
    const { text } = await execute(project.context, exportGraph, { format: 'mermaid' })
    const lines = text.trimEnd().split('\n')
    expect(lines[0]).toBe('graph LR')
    expect(lines).toHaveLength(4)
    expect(lines[1]).toMatch(/^ {2}n1\["[^"\]<>]*"\]$/)
    expect(lines[3]).toBe('  n2 -->|implements| n1')
  })

  it('DOT: quotes and backslashes are escaped [graph-dot-quotes]', async () => {
    await using project = await hostile()
    const { text } = await execute(project.context, exportGraph, { format: 'dot' })
    const lines = text.trimEnd().split('\n')
    expect(lines).toHaveLength(7)
    expect(lines[3]).toMatch(/^ {2}n1 \[label="(?:[^"\\]|\\.)*"\];$/)
    expect(lines[5]).toBe('  n2 -> n1 [label="implements"];')
  })

  it('JSON holds ids, numbers and titles as they are [graph-json-holds]', async () => {
    await using project = await hostile()
    const exported = await execute(project.context, exportGraph, { format: 'json' })
    expect(exported).toMatchObject({ entity_count: 2, relation_count: 1, truncated: false })
    expect(JSON.parse(exported.text)).toMatchObject({
      nodes: [{ number: 1, title: HOSTILE }, { number: 2 }],
      edges: [{ type: 'implements' }],
    })
  })

  it('around one entity, within a budget', async () => {
    await using project = await graphOf(4, '1 references 2', '2 references 3', '3 references 4')
    const exported = await execute(project.context, exportGraph, { id: '1', depth: 2 })
    expect(exported).toMatchObject({ entity_count: 3, relation_count: 2, truncated: false })
    expect(await execute(project.context, exportGraph, { budget: 2 })).toMatchObject({
      entity_count: 2,
      relation_count: 1,
      truncated: true,
    })
  })
})

it('the whole graph is listed page by page', async () => {
  await using project = await graphOf(3, '1 references 3', '2 documents 3')
  expect(await execute(project.context, listGraph, { limit: 1 })).toMatchObject({
    entities: [{ number: 1 }],
    relations: [{ type: 'references', source_type: 'note', target_type: 'note' }],
    entity_count: 3,
    relation_count: 2,
    limit: 1,
    offset: 0,
  })
})
