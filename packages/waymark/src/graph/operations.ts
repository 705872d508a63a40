import * as z from 'zod'
import { yieldToEventLoop } from '../support/yield-to-event-loop.ts'
import { entityType } from '../entity/entity.ts'
import { dependantOf } from './graph.ts'
import { reference } from '../entity/reference.ts'
import { ACYCLIC_RELATION_TYPES, relationType } from '../relation/relation.ts'
import { takeWithinReply } from '../support/text/reply-budget.ts'
import { defineOperation } from '../core/operation.ts'
import { oneOf, whole } from '../core/input/schema.ts'
import type { LabelRow } from './store.ts'
import { cyclesOf } from './cycles-of.ts'
import { entityLabel, toEntityLabel } from '../entity/view.ts'
import { findEntity } from '../entity/find-entity.ts'
import { findLinked, linkedView } from '../entity/linked/linked.ts'
import { graphEdge, graphView, toGraphView } from './view.ts'
import { findPath, otherEnd, reach } from './walk.ts'
import { showCycles, showGraph, showOrphans, showSteps } from './show.ts'

const DEEPEST = 100

const types = z.array(relationType).max(20).optional().describe('Only along these relation types')
const depth = (normal: number) =>
  z.int().min(1).max(DEEPEST).default(normal).describe('How many relations away at most')
const budget = z.int().min(1).max(500).default(40).describe('How many entities at most')

export const showNeighbours = defineOperation({
  name: 'graph.around',
  summary: 'Show what lies around an entity: its neighbours, or the graph further out',
  example: '12 --depth 2',
  effect: 'read',
  input: z.object({
    id: reference,
    depth: depth(1),
    direction: oneOf(['from', 'to', 'both'])
      .default('both')
      .describe('Along relations from it, to it, or both'),
    types,
    budget,
  }),
  output: graphView.extend({
    linked: linkedView.pick({ artifacts: true, code: true, more: true }),
  }),
  positional: ['id'],
  async run(context, { id, depth, direction, types, budget }) {
    const { entities, graph } = context.store
    const center = await findEntity(entities, id)
    const found = await reach(graph, center.id, {
      direction,
      types,
      depth,
      budget: budget + 1,
      signal: context.signal,
      follow: otherEnd,
    })
    const [linked = {}] = await findLinked(context, [center])
    const { relations: _shown, superseded_by: _named, more, ...attached } = linked
    const { relations: _counted, ...left } = more ?? {}
    return {
      ...(await toGraphView(context, center, { ...found, types })),
      linked: { ...attached, ...(Object.keys(left).length > 0 && { more: left }) },
    }
  },
  show: showGraph,
})

export const showPath = defineOperation({
  name: 'graph.path',
  summary: 'Find the shortest path between two entities along their relations',
  example: '3 12',
  effect: 'read',
  input: z.object({
    from: reference.describe('Where to start: number or id'),
    to: reference.describe('Where to get to: number or id'),
    max_depth: depth(10),
    types,
  }),
  output: z.object({
    path: z.array(entityLabel).describe('From one end to the other; empty when there is no path'),
    relations: z.array(graphEdge).describe('The relation between each two neighbours'),
    length: z.int().nullable(),
  }),
  positional: ['from', 'to'],
  async run(context, { from, to, max_depth, types }) {
    const { entities, graph } = context.store
    const ends = {
      from: (await findEntity(entities, from, 'from')).id,
      to: (await findEntity(entities, to, 'to')).id,
    }
    const path = await findPath(graph, ends, {
      maxDepth: max_depth,
      types,
      signal: context.signal,
    })
    if (path === undefined) return { path: [], relations: [], length: null }
    const rows = new Map((await graph.labels(path.ids)).map((row) => [row.id, row]))
    return {
      path: path.ids.flatMap((id) => rows.get(id) ?? []).map(toEntityLabel),
      relations: path.edges.map(({ sourceId, type, targetId }) => ({
        source: rows.get(sourceId)?.number ?? 0,
        type,
        target: rows.get(targetId)?.number ?? 0,
      })),
      length: path.edges.length,
    }
  },
  show: showSteps,
})

export const listOrphans = defineOperation({
  name: 'graph.orphans',
  summary: 'List the entities that have no relation to anything',
  example: 'note',
  effect: 'read',
  input: z.object({
    type: entityType.optional().describe('Only this type of entity'),
    limit: z.int().min(1).max(100_000).default(50).describe('How many at most'),
    offset: z.int().min(0).default(0).describe('How many to skip'),
    whole,
  }),
  output: z.object({
    orphans: z.array(entityLabel),
    total: z.int(),
    next_offset: z.int().optional().describe('Pass it as offset to go on'),
  }),
  positional: ['type'],
  async run(context, { type, limit, offset, whole }) {
    const found: LabelRow[] = []
    let total = 0
    for await (const page of context.store.graph.orphans(type)) {
      found.push(...page.slice(Math.max(0, offset - total)).slice(0, limit - found.length))
      total += page.length
      await yieldToEventLoop(context.signal)
    }
    const labels = found.map(toEntityLabel)
    const orphans = whole ? labels : takeWithinReply(context, labels)
    const next = offset + orphans.length
    return { orphans, total, ...(orphans.length > 0 && next < total && { next_offset: next }) }
  },
  show: showOrphans,
})

export const listCycles = defineOperation({
  name: 'graph.cycles',
  summary: 'List cycles of entities that block or contain each other',
  example: '',
  effect: 'read',
  input: z.object({
    types: z
      .array(relationType)
      .max(20)
      .default([...ACYCLIC_RELATION_TYPES])
      .describe('Along these relation types'),
    limit: z.int().min(1).max(100).default(20).describe('How many at most'),
  }),
  output: z.object({
    cycles: z.array(z.array(entityLabel)).describe('Each from one entity on until back before it'),
    total: z.int(),
    truncated: z.boolean().optional().describe('Too many relations to look at all of them'),
  }),
  async run(context, { types, limit }) {
    const { graph } = context.store
    const { cycles, isCut } = await cyclesOf(context, types)
    const shown = cycles.slice(0, limit)
    const rows = new Map((await graph.labels([...new Set(shown.flat())])).map((r) => [r.id, r]))
    const labelled = shown.map((ids) => ids.flatMap((id) => rows.get(id) ?? []).map(toEntityLabel))
    return {
      cycles: takeWithinReply(context, labelled),
      total: cycles.length,
      ...(isCut && { truncated: true }),
    }
  },
  show: showCycles,
})

export const showImpact = defineOperation({
  name: 'graph.impact',
  summary: 'Show what depends on an entity, directly or through others, before you change it',
  example: '12',
  effect: 'read',
  input: z.object({ id: reference, depth: depth(5), budget }),
  output: graphView,
  positional: ['id'],
  async run(context, { id, depth, budget }) {
    const { entities, graph } = context.store
    const changed = await findEntity(entities, id)
    const found = await reach(graph, changed.id, {
      direction: 'both',
      depth,
      budget: budget + 1,
      signal: context.signal,
      follow: dependantOf,
    })
    return await toGraphView(context, changed, found)
  },
  show: showGraph,
})
