import type { Scale } from './squeeze.ts'
import type { End, Span } from './span.ts'

export const ROW = 28
const BAR = 20
export const HEAD = 28

/** What is visible: how many pixels a millisecond has, and which place is at the left edge. */
export interface Window {
  readonly perMs: number
  readonly left: number
}

export interface Lane {
  /** Names repeat, ids do not. */
  readonly agentId: string
  readonly name: string
  readonly spans: readonly Span[]
}

export interface LaneColours {
  readonly ends: Readonly<Record<End, string>>
  readonly text: string
  readonly onBar: string
  readonly line: string
  readonly gap: string
  readonly arrow: string
}

export interface Drawing {
  readonly lanes: readonly Lane[]
  readonly scale: Scale
  readonly window: Window
  readonly width: number
  readonly colours: LaneColours
  readonly formatTime: (at: number) => string
  readonly formatGap: (length: number) => string
}

/** Draws one frame: hours, silence, bars with their words, and arrows for handovers. */
export function drawLanes(pen: CanvasRenderingContext2D, drawing: Drawing): void {
  const { lanes, width } = drawing
  const height = HEAD + lanes.length * ROW
  pen.clearRect(0, 0, width, height)
  pen.font = '11px system-ui, sans-serif'
  pen.textBaseline = 'middle'
  drawTimes(pen, drawing, height)
  for (const [row, { spans }] of lanes.entries()) {
    pen.fillStyle = drawing.colours.line
    pen.fillRect(0, HEAD + row * ROW - 0.5, width, 1)
    for (const span of spans) drawBar(pen, drawing, span, row)
  }
  drawHandovers(pen, drawing)
}

function xOf({ scale, window: { perMs, left } }: Drawing, at: number): number {
  return (scale.place(at) - left) * perMs
}

/** Where a bar is, in pixels. */
function boxOf(drawing: Drawing, { from, to }: Span, row: number) {
  const x = xOf(drawing, from)
  return {
    x,
    y: HEAD + row * ROW + (ROW - BAR) / 2,
    width: Math.max(3, xOf(drawing, to) - x),
    height: BAR,
  }
}

function drawBar(pen: CanvasRenderingContext2D, drawing: Drawing, span: Span, row: number): void {
  const { x, y, width, height } = boxOf(drawing, span, row)
  if (x + width < 0 || x > drawing.width) return
  pen.fillStyle = drawing.colours.ends[span.end]
  pen.beginPath()
  pen.roundRect(x, y, width, height, 4)
  pen.fill()
  if (width < 26) return
  pen.save()
  pen.clip()
  pen.fillStyle = drawing.colours.onBar
  pen.fillText(`#${span.task} ${span.title}`, Math.max(x, 0) + 6, y + height / 2)
  pen.restore()
}

function drawTimes(pen: CanvasRenderingContext2D, drawing: Drawing, height: number): void {
  const {
    scale,
    window: { perMs },
    colours,
  } = drawing
  for (const { from, to, at } of scale.gaps) {
    const x = (at - drawing.window.left) * perMs
    pen.fillStyle = colours.gap
    pen.fillRect(x, 0, Math.max(4, (scale.place(to) - at) * perMs), height)
    pen.fillStyle = colours.text
    pen.fillText(drawing.formatGap(to - from), x + 6, HEAD / 2 + 8)
  }
  const step = stepFor(perMs)
  const last =
    scale.start + scale.length + scale.gaps.reduce((sum, { from, to }) => sum + to - from, 0)
  let previous = -Infinity
  for (let time = Math.ceil(scale.start / step) * step; time <= last; time += step) {
    const x = xOf(drawing, time)
    if (x < 0 || x > drawing.width || x - previous < 56) continue
    previous = x
    pen.fillStyle = colours.line
    pen.fillRect(x, 0, 1, height)
    pen.fillStyle = colours.text
    pen.fillText(drawing.formatTime(time), x + 4, 9)
  }
}

const MINUTE = 60_000
const STEPS = [1, 5, 10, 30, 60, 180, 360, 720, 1440].map((minutes) => minutes * MINUTE)

/** A label about every 90 pixels. */
function stepFor(perMs: number): number {
  return STEPS.find((step) => step * perMs >= 90) ?? 1440 * MINUTE
}

/** A task that another agent takes up: an arrow from the end of one bar to the start of the next. */
function drawHandovers(pen: CanvasRenderingContext2D, drawing: Drawing): void {
  const rows = new Map(drawing.lanes.map(({ agentId }, row) => [agentId, row]))
  const last = new Map<number, Span>()
  const all = drawing.lanes
    .flatMap(({ spans }) => spans)
    .toSorted((one, other) => one.from - other.from)
  pen.strokeStyle = drawing.colours.arrow
  pen.lineWidth = 1.5
  for (const span of all) {
    const before = last.get(span.task)
    last.set(span.task, span)
    const [from, to] = [rows.get(before?.agentId ?? ''), rows.get(span.agentId)]
    if (before === undefined || from === undefined || to === undefined || from === to) continue
    const x1 = xOf(drawing, before.to)
    const x2 = xOf(drawing, span.from)
    const y1 = HEAD + from * ROW + ROW / 2
    const y2 = HEAD + to * ROW + ROW / 2
    pen.beginPath()
    pen.moveTo(x1, y1)
    pen.bezierCurveTo(x1 + 20, y1, x2 - 20, y2, x2, y2)
    pen.moveTo(x2 - 5, y2 - 4)
    pen.lineTo(x2, y2)
    pen.lineTo(x2 - 5, y2 + 4)
    pen.stroke()
  }
}

/** The bar at a point of the picture. */
export function spanAt(drawing: Drawing, x: number, y: number): Span | undefined {
  const row = Math.floor((y - HEAD) / ROW)
  return drawing.lanes[row]?.spans.findLast((span) => {
    const box = boxOf(drawing, span, row)
    return x >= box.x && x <= box.x + box.width
  })
}
