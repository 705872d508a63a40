import type { GraphEdge, GraphNode } from '../../draw/layered.ts'

/** The shown graph as Mermaid; titles are quoted so that no text of an agent ends a label. */
export function toMermaid(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): string {
  const lines = nodes.map(({ number, title }) => `  n${number}["#${number} ${quote(title)}"]`)
  const arrows = edges.map(({ source, type, target }) => `  n${source} -->|${type}| n${target}`)
  return ['graph LR', ...lines, ...arrows].join('\n')
}

function quote(title: string): string {
  return title
    .replaceAll(/["<>#;]/g, (character) => `#${character.codePointAt(0)};`)
    .replaceAll(/\s+/g, ' ')
}

/** The same for Graphviz. JSON's escapes of quotes, backslashes and line ends are DOT's. */
export function toDot(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): string {
  const lines = nodes.map(({ number, title }) => `  n${number} [label=${dotText(number, title)}]`)
  const arrows = edges.map(
    ({ source, type, target }) => `  n${source} -> n${target} [label=${JSON.stringify(type)}]`,
  )
  return ['digraph {', '  rankdir=LR', ...lines, ...arrows, '}'].join('\n')
}

function dotText(number: number, title: string): string {
  return JSON.stringify(`#${number} ${title.replaceAll(/\s+/g, ' ')}`)
}
