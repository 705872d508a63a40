import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Output } from '../../api.ts'
import { call } from '../../data/call.ts'
import { createLayout, degreesOf, type Layout, settle } from '../../draw/force.ts'
import { prepareCanvas } from '../../draw/prepare-canvas.ts'
import {
  type Camera,
  drawScene,
  fit,
  nodeAt,
  type Scene,
  type SceneColours,
} from '../../draw/scene.ts'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { useWidth } from '../../parts/use-width.ts'
import { useKeys } from '../../shell/keys/use-keys.ts'
import { go, toAddress } from '../../shell/router.ts'
import { graphWords } from '../../text/view/graph.ts'
import { lanesWords } from '../../text/view/lanes.ts'
import { toGraphTable } from './graph-table.tsx'
import { kindColour, sceneColours } from './kind-colours.ts'

const MOST_NODES = 5000
const ROUNDS = 120
/** Of a frame, for arranging the nodes. */
const SLICE_MS = 8
const HEIGHT = 640
const REST_MS = 160

type Graph = Output<'graph.show'>

/** Everything at once, on a canvas. The last of the three pictures: it shows clusters, not single things. */
export function Whole() {
  const loaded = useLoad((signal) => call('graph.show', { limit: MOST_NODES }, { signal }), 'whole')
  return <LoadedView of={loaded}>{(graph) => <WholePicture graph={graph} />}</LoadedView>
}

/** What changes with each frame and draws no component anew. */
interface View {
  camera: Camera | undefined
  movedAt: number
  frame: number
  colours?: SceneColours
}

function WholePicture({ graph }: { readonly graph: Graph }) {
  const [text, setText] = useState('')
  const [isTable, setTable] = useState(false)
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = useWidth(canvas)
  const layout = useMemo(() => toLayout(graph), [graph])
  const scene = useMemo(() => toScene(graph, layout, text), [graph, layout, text])
  const state = useRef<View>({ camera: undefined, movedAt: -Infinity, frame: 0 })
  const draw = (): void => {
    const pen = prepareCanvas(canvas.current, width, HEIGHT)
    if (pen === undefined) return
    const isMoving = performance.now() - state.current.movedAt < REST_MS
    const camera = state.current.camera ?? fit(scene, width, HEIGHT)
    // Reading styles costs more than a frame has.
    const colours = isMoving ? (state.current.colours ?? sceneColours()) : sceneColours()
    state.current.colours = colours
    drawScene(pen, scene, { camera, width, height: HEIGHT, isMoving, colours })
    if (isMoving) request()
  }
  const request = (): void => {
    cancelAnimationFrame(state.current.frame)
    state.current.frame = requestAnimationFrame(draw)
  }
  const move = (change: (camera: Camera) => Camera): void => {
    state.current.camera = change(state.current.camera ?? fit(scene, width, HEIGHT))
    state.current.movedAt = performance.now()
    request()
  }
  useEffect(() => {
    // Arranged in slices; a picture that is moved has the frames to itself.
    const work = settle(scene, graph.nodes.length > 2000 ? ROUNDS / 2 : ROUNDS)
    let frame = requestAnimationFrame(function slice() {
      const end = performance.now() + SLICE_MS
      let isDone = false
      while (!isDone && performance.now() < end) isDone = work.next().done === true
      if (performance.now() - state.current.movedAt > REST_MS) draw()
      if (!isDone) frame = requestAnimationFrame(slice)
    })
    return () => cancelAnimationFrame(frame)
  }, [graph, width])
  useEffect(request, [scene, width])
  const pan = (x: number, y: number) => (): void =>
    move((camera) => ({ ...camera, x: camera.x + x / camera.zoom, y: camera.y + y / camera.zoom }))
  const zoom = (factor: number) => (): void =>
    move((camera) => ({ ...camera, zoom: Math.min(8, Math.max(0.02, camera.zoom * factor)) }))
  useKeys([
    { keys: '+', label: lanesWords.zoomIn, run: zoom(1.3) },
    { keys: '-', label: lanesWords.zoomOut, run: zoom(1 / 1.3) },
    { keys: 'f', label: lanesWords.fit, run: () => move(() => fit(scene, width, HEIGHT)) },
    { keys: 'ArrowLeft', label: graphWords.panLeft, run: pan(-80, 0) },
    { keys: 'ArrowRight', label: graphWords.panRight, run: pan(80, 0) },
    { keys: 'ArrowUp', label: graphWords.panUp, run: pan(0, -80) },
    { keys: 'ArrowDown', label: graphWords.panDown, run: pan(0, 80) },
  ])
  const at = (event: MouseEvent): number | undefined =>
    nodeAt(
      scene,
      { camera: state.current.camera ?? fit(scene, width, HEIGHT), width, height: HEIGHT },
      [event.offsetX, event.offsetY],
    )
  return (
    <>
      <p class="filters">
        <input
          aria-label={graphWords.light}
          placeholder={graphWords.light}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <span class="muted" role="status">
          {graphWords.nodes(graph.nodes.length)} · {graphWords.edges(graph.edges.length)}
          {graph.truncated && ` · ${graphWords.wholeCut(graph.total)}`}
        </span>
        <button type="button" onClick={() => setTable(!isTable)}>
          {isTable ? graphWords.picture : graphWords.table}
        </button>
      </p>
      {isTable ? (
        toGraphTable(graph)
      ) : (
        <div class="panel graph-whole">
          <canvas
            ref={canvas}
            role="img"
            aria-label={graphWords.wholeLabel(graph.nodes.length)}
            onWheel={(event) => {
              event.preventDefault()
              zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15)()
            }}
            onPointerMove={(event) => {
              if (event.buttons === 1) pan(-event.movementX, -event.movementY)()
              else {
                const node = at(event)
                event.currentTarget.title = node === undefined ? '' : (scene.title[node] ?? '')
              }
            }}
            onClick={(event) => {
              const row = graph.nodes[at(event) ?? -1]
              if (row !== undefined && performance.now() - state.current.movedAt > REST_MS)
                go(toAddress('graph', row[0]))
            }}
          />
        </div>
      )}
    </>
  )
}

const CLOSED: ReadonlySet<string> = new Set(['done', 'cancelled', 'superseded'])

/** A search changes only what is faint; the places stay. */
function toScene(graph: Graph, layout: Layout, text: string): Scene {
  const degrees = degreesOf(graph.nodes.length, layout.edges)
  const wanted = text.trim().toLowerCase()
  const isFaint = ([number, , title, status]: Graph['nodes'][number]): boolean =>
    wanted === '' ? CLOSED.has(status ?? '') : !`#${number} ${title}`.toLowerCase().includes(wanted)
  return {
    ...layout,
    size: Uint8Array.from(degrees, (degree) => 4 + Math.min(12, Math.round(Math.sqrt(degree) * 2))),
    colour: graph.nodes.map(([, type]) => kindColour(type)),
    title: graph.nodes.map(([number, , title]) => `#${number} ${title}`),
    isFaint: Uint8Array.from(graph.nodes, (row) => Number(isFaint(row))),
  }
}

function toLayout({ nodes, edges }: Graph) {
  const positions = new Map(nodes.map(([number], at) => [number, at]))
  const pairs = edges.flatMap(([source, , target]) => {
    const [from, to] = [positions.get(source), positions.get(target)]
    return from === undefined || to === undefined ? [] : [from, to]
  })
  return createLayout(nodes.length, Uint32Array.from(pairs))
}
