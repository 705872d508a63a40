import {
  type Column,
  displayId,
  type Fields,
  label,
  plain,
  type Render,
  type Style,
  table,
} from '../surfaces/terminal/cells.ts'
import { renderEntityTable } from '../entity/show.ts'

export const RENDERERS: Readonly<Record<string, Render>> = {
  'graph.around': renderGraph,
  'graph.impact': renderGraph,
  'graph.path': renderPath,
  'graph.orphans': renderOrphans,
  'graph.cycles': renderCycles,
  'graph.list': renderAll,
  // Meant for the next program, as it is.
  'graph.export': ({ text }) => String(text),
}

const NODE_COLUMNS: readonly Column[] = [
  { head: 'AWAY', value: (row) => plain(row['depth']) },
  { head: 'ID', value: displayId },
  { head: 'TYPE', value: (row) => plain(row['type']) },
  { head: 'STATUS', value: (row) => plain(row['status']) },
  { head: 'TITLE', value: (row) => plain(row['title']) },
]

async function renderGraph(output: Fields, style: Style): Promise<string> {
  const nodes = output['nodes'] as Fields[]
  const center = label(output['entity'] as Fields)
  if (nodes.length === 0) return `${center}: nothing there\n`
  const edges = (output['edges'] as Fields[]).map(
    ({ source, type, target }) => `${plain(source)} ${plain(type)} ${plain(target)}`,
  )
  const more = output['truncated'] === true ? 'there is more; raise --budget\n' : ''
  return `${center}\n${await table(nodes, NODE_COLUMNS, style)}${edges.join('\n')}\n${more}`
}

function renderPath(output: Fields): string {
  const path = output['path'] as Fields[]
  if (path.length === 0) return 'no path\n'
  const relations = output['relations'] as Fields[]
  return path
    .map((entity, at) => {
      const relation = relations[at]
      if (relation === undefined) return `${label(entity)}\n`
      const type = plain(relation['type'])
      const arrow = relation['source'] === entity['number'] ? `${type} →` : `← ${type}`
      return `${label(entity)}\n  ${arrow}\n`
    })
    .join('')
}

const LABEL_COLUMNS: readonly Column[] = [
  { head: 'ID', value: displayId },
  { head: 'TYPE', value: (row) => plain(row['type']) },
  { head: 'TITLE', value: (row) => plain(row['title']) },
]

async function renderOrphans(output: Fields, style: Style): Promise<string> {
  const orphans = output['orphans'] as Fields[]
  if (orphans.length === 0) return 'everything is related to something\n'
  const rest =
    output['next_offset'] === undefined
      ? ''
      : `${orphans.length} of ${plain(output['total'])}; go on with --offset ${plain(output['next_offset'])}\n`
  return `${await table(orphans, LABEL_COLUMNS, style)}${rest}`
}

function renderCycles(output: Fields): string {
  const cycles = output['cycles'] as Fields[][]
  const lines = cycles.map((cycle) => [...cycle, ...cycle.slice(0, 1)].map(label).join(' → '))
  if (lines.length === 0) lines.push('no circles')
  if (output['truncated'] === true) lines.push('too many relations to look at all of them')
  return `${lines.join('\n')}\n`
}

async function renderAll(output: Fields, style: Style): Promise<string> {
  const { entity_count, relation_count } = output
  const entities = await renderEntityTable({ ...output, total: entity_count }, style)
  return `${entities}${plain(relation_count)} relations\n`
}
