import type { Output } from '../../api.ts'
import { call } from '../../data/call.ts'
import { createLayout, settle } from '../../draw/force.ts'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { Segmented } from '../../parts/segmented.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { route, setQuery, toAddress } from '../../shell/router.ts'
import { graphWords } from '../../text/view/graph.ts'
import { formatNumber } from '../../text/plural.ts'

const GROUPINGS = ['tag', 'component', 'parent', 'type'] as const
type Grouping = (typeof GROUPINGS)[number]

/** More groups than this are no map. */
const MOST_GROUPS = 60
const [WIDTH, HEIGHT] = [1000, 560]
/** What a group and its name take. */
const ROOM = 190

type Graph = Output<'graph.show'>

/** Groups with counts and how strongly they hang together; each leads on to what is in it. */
export function GraphMap() {
  const asked = route.value.query.get('by')
  const by = GROUPINGS.find((name) => name === asked) ?? 'tag'
  const loaded = useLoad(
    (signal) => call('graph.show', { group_by: by }, { signal }),
    `map ${by}`,
    { when: (type) => type === '*' || type.startsWith('relation.') },
  )
  return (
    <>
      <p class="filters">
        <Segmented
          label={graphWords.groupBy}
          choices={GROUPINGS}
          chosen={by}
          nameOf={(name) => graphWords.groups[name]}
          onChoose={(name) => setQuery({ by: name })}
        />
      </p>
      <LoadedView of={loaded}>{(graph) => <MapPicture graph={graph} by={by} />}</LoadedView>
    </>
  )
}

interface Placed {
  readonly at: number
  readonly key: string
  readonly title: string
  readonly count: number
  readonly x: number
  readonly y: number
  readonly radius: number
}

function MapPicture({ graph, by }: { readonly graph: Graph; readonly by: Grouping }) {
  const placed = place(graph)
  const byPosition = new Map(placed.map((group) => [group.at, group]))
  const heaviest = Math.max(1, ...graph.links.map(([, , weight]) => weight))
  return (
    <>
      <p class="muted" role="status">
        {graphWords.groupCount(graph.groups.length)} · {graphWords.nodes(graph.total)}
        {graph.groups.length > placed.length &&
          ` · ${graphWords.groupsCut(graph.groups.length - placed.length)}`}
      </p>
      <div class="panel graph-map">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
          {graph.links.map(([from, to, weight]) => {
            const [one, other] = [byPosition.get(from), byPosition.get(to)]
            if (one === undefined || other === undefined) return null
            return (
              <line
                key={`${from} ${to}`}
                x1={one.x}
                y1={one.y}
                x2={other.x}
                y2={other.y}
                stroke-width={1 + (7 * weight) / heaviest}
              />
            )
          })}
          {placed.map(({ at, key, x, y, radius }) => (
            <circle key={at} class={key === '' ? 'others' : ''} cx={x} cy={y} r={radius} />
          ))}
        </svg>
        {placed.map((group) => (
          <a
            key={group.at}
            class="map-group"
            href={addressOf(by, group.key)}
            style={{ left: `${(100 * group.x) / WIDTH}%`, top: `${(100 * group.y) / HEIGHT}%` }}
          >
            <strong class="clip">{group.title === '' ? graphWords.others : group.title}</strong>
            <span class="muted">{formatNumber(group.count)}</span>
          </a>
        ))}
      </div>
    </>
  )
}

/** The largest groups, arranged by how strongly they are linked and scaled to the sheet. */
function place({ groups, links }: Graph): readonly Placed[] {
  const largest = [...groups.entries()]
    .toSorted(([, one], [, other]) => other[2] - one[2])
    .slice(0, MOST_GROUPS)
  const positions = new Map(largest.map(([at], index) => [at, index]))
  const pairs = links.flatMap(([from, to]) => {
    const [one, other] = [positions.get(from), positions.get(to)]
    return one === undefined || other === undefined ? [] : [one, other]
  })
  const layout = createLayout(largest.length, Uint32Array.from(pairs))
  for (const _ of settle(layout, 80, 0.06));
  const spread = ROOM * Math.ceil(Math.sqrt(largest.length))
  const scaled = [
    scale(layout.x, WIDTH, Math.min(WIDTH - 220, spread)),
    scale(layout.y, HEIGHT, Math.min(HEIGHT - 120, spread)),
  ] as const
  const most = Math.max(1, ...largest.map(([, [, , count]]) => count))
  return largest.map(([at, [key, title, count]], index) => ({
    at,
    key,
    title,
    count,
    x: scaled[0][index] ?? 0,
    y: scaled[1][index] ?? 0,
    radius: 14 + 36 * Math.sqrt(count / most),
  }))
}

/** Few groups stand close together in the middle. */
function scale(values: Float32Array, length: number, spread: number): readonly number[] {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (high === low) return Array.from(values, () => length / 2)
  return Array.from(values, (value) => length / 2 + ((value - low) / (high - low) - 0.5) * spread)
}

/** Where a group is opened: around the entity that stands for it, or what has the tag. */
function addressOf(by: Grouping, key: string): string {
  if (by === 'tag') return toAddress('search', '', { q: key === '' ? '*' : key })
  if (by === 'type') return key === 'task' ? toAddress('board') : toAddress('knowledge')
  return key === '' ? toAddress('graph', '', { mode: 'whole' }) : toAddress('graph', key)
}
