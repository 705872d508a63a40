import type { Layout } from './force.ts'

/** What is drawn of a whole graph: where each node is, how large, and in which colour. */
export interface Scene extends Layout {
  readonly size: Uint8Array
  readonly colour: readonly string[]
  readonly title: readonly string[]
  /** Faded: closed work, or what a search has not found. */
  readonly isFaint: Uint8Array
}

export interface Camera {
  readonly x: number
  readonly y: number
  /** Pixels for each unit of the layout. */
  readonly zoom: number
}

export interface SceneColours {
  readonly edge: string
  readonly text: string
  readonly background: string
}

interface Frame {
  readonly camera: Camera
  readonly width: number
  readonly height: number
  readonly isMoving: boolean
  readonly colours: SceneColours
}

/** So many edges that a slow machine keeps up while the picture moves; all of them once it rests. */
const EDGES_WHILE_MOVING = 2500
const MOST_LABELS = 60

export function drawScene(pen: CanvasRenderingContext2D, scene: Scene, frame: Frame): void {
  const { camera, width, height, isMoving, colours } = frame
  const { x, y, edges } = scene
  const [cx, cy] = [width / 2 - camera.x * camera.zoom, height / 2 - camera.y * camera.zoom]
  const px = (node: number): number => cx + (x[node] ?? 0) * camera.zoom
  const py = (node: number): number => cy + (y[node] ?? 0) * camera.zoom
  pen.clearRect(0, 0, width, height)
  const step = isMoving ? Math.max(1, Math.ceil(edges.length / 2 / EDGES_WHILE_MOVING)) : 1
  pen.strokeStyle = colours.edge
  pen.lineWidth = 1
  pen.beginPath()
  for (let e = 0; e < edges.length; e += 2 * step) {
    const [from, to] = [edges[e] ?? 0, edges[e + 1] ?? 0]
    pen.moveTo(px(from), py(from))
    pen.lineTo(px(to), py(to))
  }
  pen.stroke()
  const scale = Math.min(2, Math.max(0.6, camera.zoom))
  for (let node = 0; node < x.length; node += 1) {
    const [left, top] = [px(node), py(node)]
    if (left < -20 || top < -20 || left > width + 20 || top > height + 20) continue
    pen.globalAlpha = scene.isFaint[node] === 1 ? 0.25 : 1
    pen.fillStyle = scene.colour[node] ?? colours.text
    const size = (scene.size[node] ?? 3) * scale
    // A square is far cheaper than an arc, and as small the eye does not tell them apart.
    if (size < 4) pen.fillRect(left - size / 2, top - size / 2, size, size)
    else {
      pen.beginPath()
      pen.arc(left, top, size / 2, 0, 2 * Math.PI)
      pen.fill()
    }
  }
  pen.globalAlpha = 1
  if (!isMoving) drawLabels(pen, scene, frame, { px, py })
}

const LONGEST_LABEL = 28

interface Places {
  readonly px: (node: number) => number
  readonly py: (node: number) => number
}

/** Titles of the largest nodes in sight, as long as none covers another. */
function drawLabels(
  pen: CanvasRenderingContext2D,
  { size, title, isFaint }: Scene,
  { width, height, colours }: Frame,
  { px, py }: Places,
): void {
  const visible = Array.from(size.keys()).filter((node) => {
    const [left, top] = [px(node), py(node)]
    return isFaint[node] !== 1 && left > 0 && top > 0 && left < width && top < height
  })
  const largest = visible.toSorted((one, other) => (size[other] ?? 0) - (size[one] ?? 0))
  const taken: (readonly [number, number])[] = []
  pen.font = '11px system-ui, sans-serif'
  pen.textBaseline = 'middle'
  pen.lineWidth = 3
  for (const node of largest.slice(0, MOST_LABELS * 4)) {
    const [left, top] = [px(node) + 7, py(node)]
    if (taken.some(([x, y]) => Math.abs(x - left) < 130 && Math.abs(y - top) < 16)) continue
    taken.push([left, top])
    const whole = title[node] ?? ''
    const text = whole.length > LONGEST_LABEL ? `${whole.slice(0, LONGEST_LABEL - 1)}…` : whole
    pen.strokeStyle = colours.background
    pen.strokeText(text, left, top)
    pen.fillStyle = colours.text
    pen.fillText(text, left, top)
    if (taken.length >= MOST_LABELS) return
  }
}

/** The camera that shows everything. */
export function fit({ x, y }: Layout, width: number, height: number): Camera {
  const [left, right] = [Math.min(...x), Math.max(...x)]
  const [top, bottom] = [Math.min(...y), Math.max(...y)]
  const zoom = Math.min(width / (right - left + 60), height / (bottom - top + 60), 2)
  return { x: (left + right) / 2, y: (top + bottom) / 2, zoom }
}

/** The node near a point of the picture. */
export function nodeAt(
  { x, y }: Layout,
  { camera, width, height }: Pick<Frame, 'camera' | 'width' | 'height'>,
  point: readonly [number, number],
): number | undefined {
  const [wx, wy] = [
    (point[0] - width / 2) / camera.zoom + camera.x,
    (point[1] - height / 2) / camera.zoom + camera.y,
  ]
  let nearest: number | undefined
  let distance = 10 / camera.zoom
  for (let node = 0; node < x.length; node += 1) {
    const away = Math.hypot((x[node] ?? 0) - wx, (y[node] ?? 0) - wy)
    if (away < distance) [nearest, distance] = [node, away]
  }
  return nearest
}
