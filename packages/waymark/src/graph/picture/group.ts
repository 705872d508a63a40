import type { ReadContext } from '../../core/context.ts'
import type { LabelRow } from '../store.ts'

export const GROUPINGS = ['none', 'type', 'tag', 'parent', 'component'] as const
type Grouping = Exclude<(typeof GROUPINGS)[number], 'none'>

export interface NodeEdge {
  readonly source: LabelRow
  readonly type: string
  readonly target: LabelRow
}

interface Group {
  readonly key: string
  readonly title: string
}

const OTHERS: Group = { key: '', title: '' }

/** Entities as groups with counts, and the relations between groups with weights. */
export async function groupNodes(
  { store }: ReadContext,
  grouping: Grouping,
  rows: readonly LabelRow[],
  edges: readonly NodeEdge[],
) {
  const tags = grouping === 'tag' ? await store.graph.firstTags() : new Map<string, string>()
  const heads = headsOf(grouping, edges)
  const parents = new Set([...heads.values()].map(({ id }) => id))
  const groupOf = (row: LabelRow): Group => {
    if (grouping === 'type') return { key: row.type, title: row.type }
    if (grouping === 'tag') {
      const tag = tags.get(row.id)
      return tag === undefined ? OTHERS : { key: tag, title: tag }
    }
    const head =
      heads.get(row.id) ?? (parents.has(row.id) || isComponent(grouping, row) ? row : undefined)
    return head === undefined ? OTHERS : { key: String(head.number), title: head.title }
  }
  const positions = new Map<string, number>()
  const groups: [string, string, number][] = []
  const positionOf = (row: LabelRow): number => {
    const { key, title } = groupOf(row)
    const known = positions.get(key)
    if (known !== undefined) return known
    positions.set(key, groups.length)
    return groups.push([key, title, 0]) - 1
  }
  for (const row of rows) {
    const group = groups[positionOf(row)]
    if (group !== undefined) group[2] += 1
  }
  const weights = new Map<string, [number, number, number]>()
  for (const { source, target } of edges) {
    const [from, to] = [positionOf(source), positionOf(target)]
    if (from === to) continue
    const link = weights.get(`${from} ${to}`) ?? [from, to, 0]
    link[2] += 1
    weights.set(`${from} ${to}`, link)
  }
  return { groups, links: [...weights.values()] }
}

/** What stands for the group of an entity: its parent, or the component that it is related to. */
function headsOf(grouping: Grouping, edges: readonly NodeEdge[]): ReadonlyMap<string, LabelRow> {
  const heads = new Map<string, LabelRow>()
  for (const { source, type, target } of edges) {
    if (grouping === 'parent' && type === 'subtask_of') heads.set(source.id, target)
    if (grouping !== 'component') continue
    if (target.type === 'component' && source.type !== 'component') heads.set(source.id, target)
    if (source.type === 'component' && target.type !== 'component') heads.set(target.id, source)
  }
  return heads
}

/** A component is a group of its own, also without entities. */
function isComponent(grouping: Grouping, { type }: LabelRow): boolean {
  return grouping === 'component' && type === 'component'
}
