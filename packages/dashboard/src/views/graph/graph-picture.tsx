import { useEffect, useRef, useState } from 'preact/hooks'
import {
  type GraphEdge,
  type GraphNode,
  GUTTER,
  layered,
  NODE_HEIGHT,
  NODE_WIDTH,
  type Placed,
  stacked,
} from '../../draw/layered.ts'
import { useWidth } from '../../parts/use-width.ts'
import { go, toAddress } from '../../shell/router.ts'
import { useKeys } from '../../shell/keys/use-keys.ts'
import { en } from '../../text/en.ts'
import { graphWords } from '../../text/view/graph.ts'
import { nextNode } from './walk.ts'

interface Props {
  readonly root: number
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

/** What the box around the picture takes of its width. */
const PADDING = 50
/** Three columns need more than this. */
const NARROW = 620

/** Every node is a link, so arrows, screen readers and the mouse all reach it; edges are drawn behind them. */
export function GraphPicture({ root, nodes, edges }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const room = useWidth(box, NARROW + PADDING) - PADDING
  const isStack = room < NARROW
  const inColumns = layered(root, nodes, edges)
  const placed = isStack ? stacked(inColumns) : inColumns
  const byNumber = new Map(placed.map((node) => [node.number, node]))
  const [current, setCurrent] = useState(root)
  useEffect(
    () =>
      box.current
        ?.querySelector<HTMLElement>(`[data-number="${root}"]`)
        ?.scrollIntoView({ block: 'center', inline: 'center' }),
    [root, isStack],
  )
  const walk = (across: number, down: number) => (): void => {
    const next = nextNode(isStack ? inOneLayer(placed) : placed, current, across, down)
    if (next === undefined) return
    setCurrent(next)
    box.current?.querySelector<HTMLElement>(`[data-number="${next}"]`)?.focus()
  }
  useKeys([
    { keys: 'ArrowRight', label: graphWords.leansOnIt, run: walk(1, 0) },
    { keys: 'ArrowLeft', label: graphWords.restsOn, run: walk(-1, 0) },
    { keys: 'ArrowDown', label: en.board.keys.down, run: walk(0, 1) },
    { keys: 'ArrowUp', label: en.board.keys.up, run: walk(0, -1) },
    { keys: 'Enter', label: en.board.keys.open, run: () => go(toAddress('graph', current)) },
  ])
  const width = isStack ? room : Math.max(...placed.map(({ x }) => x)) + NODE_WIDTH
  const height = Math.max(...placed.map(({ y }) => y)) + NODE_HEIGHT
  return (
    <div ref={box} class="graph-picture panel">
      <div class="graph-sheet" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg width={width} height={height} aria-hidden="true">
          <Arrowhead />
          {edges.map(({ source, target, type }) => (
            <Edge
              key={`${source} ${type} ${target}`}
              from={byNumber.get(source)}
              to={byNumber.get(target)}
              type={type}
              isStack={isStack}
            />
          ))}
        </svg>
        {placed.map((node) => (
          <a
            key={node.number}
            data-number={node.number}
            class={`graph-node ${node.type}${node.number === root ? ' root' : ''}`}
            style={{
              left: `${node.x}px`,
              top: `${node.y}px`,
              width: `${isStack ? room - node.x : NODE_WIDTH}px`,
              height: `${NODE_HEIGHT}px`,
            }}
            href={toAddress('graph', node.number)}
            onFocus={() => setCurrent(node.number)}
          >
            <span class="clip">{node.title}</span>
            <span class="muted clip">
              #{node.number} · {(node.status ?? node.type).replaceAll('_', ' ')}
              {node.hidden > 0 && ` · ${graphWords.more(node.hidden)}`}
            </span>
          </a>
        ))}
      </div>
    </div>
  )
}

/** Arrows go through a stack line by line. */
function inOneLayer(nodes: readonly Placed[]): readonly Placed[] {
  return nodes.map((node) => ({ ...node, layer: 0, x: 0 }))
}

/** A relation points at what it names. Its colour is that of the line. */
function Arrowhead() {
  return (
    <defs>
      <marker
        id="arrowhead"
        viewBox="0 0 8 8"
        refX="8"
        refY="4"
        markerWidth="8"
        markerHeight="8"
        markerUnits="userSpaceOnUse"
        orient="auto"
      >
        <path class="arrowhead" d="M0 0L8 4L0 8z" />
      </marker>
    </defs>
  )
}

interface EdgeProps {
  readonly from: Placed | undefined
  readonly to: Placed | undefined
  readonly type: string
  readonly isStack: boolean
}

function Edge({ from, to, type, isStack }: EdgeProps) {
  if (from === undefined || to === undefined) return null
  if (isStack) return <StackEdge from={from} to={to} type={type} />
  const isForward = from.x <= to.x
  const x1 = from.x + (isForward ? NODE_WIDTH : 0)
  const x2 = to.x + (isForward ? 0 : NODE_WIDTH)
  const [y1, y2] = [from.y + NODE_HEIGHT / 2, to.y + NODE_HEIGHT / 2]
  const bend = isForward ? 40 : -40
  const isSameColumn = from.x === to.x
  const path = isSameColumn
    ? `M${from.x + NODE_WIDTH} ${y1} C${from.x + NODE_WIDTH + 40} ${y1} ${from.x + NODE_WIDTH + 40} ${y2} ${to.x + NODE_WIDTH} ${y2}`
    : `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
  return (
    <g class={`edge ${type}`}>
      <path d={path} marker-end="url(#arrowhead)" />
      {!isSameColumn && (
        <text x={(x1 + x2) / 2} y={(y1 + y2) / 2 - 4} text-anchor="middle">
          {type.replaceAll('_', ' ')}
        </text>
      )}
    </g>
  )
}

/** In a stack edges run at the left of the nodes; longer ones further out. */
function StackEdge({ from, to, type }: Readonly<Record<'from' | 'to', Placed>> & { type: string }) {
  const [y1, y2] = [from.y + NODE_HEIGHT / 2, to.y + NODE_HEIGHT / 2]
  const out = Math.max(2, GUTTER - 8 - Math.abs(y2 - y1) / 24)
  return (
    <g class={`edge ${type}`}>
      <title>{type.replaceAll('_', ' ')}</title>
      <path
        d={`M${from.x} ${y1} C${out} ${y1} ${out} ${y2} ${to.x} ${y2}`}
        marker-end="url(#arrowhead)"
      />
    </g>
  )
}
