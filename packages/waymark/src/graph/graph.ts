import type { EntityId } from '../entity/entity-id.ts'

/** An entity in a drawing. */
interface GraphNode {
  readonly id: EntityId
  readonly number: number
  readonly type: string
  readonly title: string
}

/** Something that points from one entity to another. */
export interface GraphEdge {
  readonly sourceId: EntityId
  readonly type: string
  readonly targetId: EntityId
}

export interface Graph {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

/**
 * The end of an edge that a change of the other end affects. The source of most relations (implements, documents,
 * references) depends on its target; a blocked task depends on its blocker; a successor does not depend on what it
 * supersedes.
 */
export function dependantOf(
  { sourceId, type, targetId }: GraphEdge,
  changed: EntityId,
): EntityId | undefined {
  if (type === 'supersedes') return undefined
  const [dependant, support] = type === 'blocks' ? [targetId, sourceId] : [sourceId, targetId]
  return support === changed ? dependant : undefined
}

/** For Graphviz. */
export function toDot({ nodes, edges }: Graph): string {
  const names = namesOf(nodes)
  return [
    'digraph waymark {',
    '  rankdir=LR;',
    '  node [shape=box];',
    ...nodes.map((node) => `  ${names.get(node.id)} [label=${dotText(toLabel(node))}];`),
    ...drawable(edges, names).map(
      ({ from, type, to }) => `  ${from} -> ${to} [label=${dotText(type)}];`,
    ),
    '}',
    '',
  ].join('\n')
}

/** For Markdown, which shows it as a drawing on many hosts. */
export function toMermaid({ nodes, edges }: Graph): string {
  const names = namesOf(nodes)
  return [
    'graph LR',
    ...nodes.map((node) => `  ${names.get(node.id)}["${mermaidText(toLabel(node))}"]`),
    ...drawable(edges, names).map(
      ({ from, type, to }) => `  ${from} -->|${mermaidText(type)}| ${to}`,
    ),
    '',
  ].join('\n')
}

function namesOf(nodes: readonly GraphNode[]): ReadonlyMap<string, string> {
  return new Map(nodes.map(({ id, number }) => [id, `n${number}`]))
}

/** The edges of which both ends are drawn. */
function drawable(edges: readonly GraphEdge[], names: ReadonlyMap<string, string>) {
  return edges.flatMap(({ sourceId, type, targetId }) => {
    const from = names.get(sourceId)
    const to = names.get(targetId)
    return from === undefined || to === undefined ? [] : [{ from, type, to }]
  })
}

const LONGEST_LABEL = 80

function toLabel({ number, type, title }: GraphNode): string {
  const line = title.replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim()
  const characters = Array.from(line)
  const shown =
    characters.length > LONGEST_LABEL ? `${characters.slice(0, LONGEST_LABEL).join('')}…` : line
  return `#${number} ${type}: ${shown}`
}

// Line breaks would end the statement, and marks that turn the direction of text could hide one.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

function dotText(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Escapes characters that are special in Mermaid, or in the HTML rendered from it, as character codes. */
function mermaidText(text: string): string {
  return text.replace(/["#&<>|[\]{}()`\\;]/g, (sign) => `#${sign.codePointAt(0) ?? 0};`)
}
