import type { Bar, LaneModel } from './lane-model.ts'
import type { End, Span } from './span.ts'

export const ROW = 28
const BAR = 20
export const HEAD = 28

/** What is visible: how many pixels a millisecond has, and which place is at the left edge. */
export interface Window {
  readonly perMs: number
  readonly left: number
}

export interface LaneColours {
  readonly ends: Readonly<Record<End, string>>
  readonly text: string
  readonly onBar: string
  readonly line: string
  readonly gap: string
  readonly dot: string
  readonly alarm: string
  readonly moment: string
}

export interface Drawing {
  readonly model: LaneModel
  readonly window: Window
  readonly width: number
  readonly colours: LaneColours
  /** Later leases are left out, running ones end here. On the squeezed scale. */
  readonly until?: number | undefined
  readonly formatTime: (at: number) => string
  readonly formatGap: (length: number) => string
}

/** Draws one frame: hours, silence, bars with their words, messages, and arrows for handovers. */
export function drawLanes(pen: CanvasRenderingContext2D, drawing: Drawing): void {
  const { model, width, colours, until = Infinity } = drawing
  const height = HEAD + model.rows * ROW
  pen.clearRect(0, 0, width, height)
  pen.font = '11px system-ui, sans-serif'
  pen.textBaseline = 'middle'
  drawTimes(pen, drawing, height)
  pen.fillStyle = colours.line
  for (const { row } of model.lanes) pen.fillRect(0, HEAD + row * ROW - 0.5, width, 1)
  for (const bar of model.bars) drawBar(pen, drawing, bar)
  drawHandovers(pen, drawing)
  drawDots(pen, drawing)
  if (until === Infinity) return
  pen.fillStyle = colours.moment
  pen.fillRect(xOf(drawing, until), 0, 1.5, height)
}

function xOf({ window: { perMs, left } }: Drawing, place: number): number {
  return (place - left) * perMs
}

function drawBar(pen: CanvasRenderingContext2D, drawing: Drawing, bar: Bar): void {
  const { width: room, colours, until = Infinity } = drawing
  const x = xOf(drawing, bar.from)
  if (x > room || bar.from > until) return
  const isCut = bar.to > until
  const width = Math.max(3, xOf(drawing, isCut ? until : bar.to) - x)
  if (x + width < 0) return
  const y = HEAD + bar.row * ROW + (ROW - BAR) / 2
  pen.fillStyle = colours.ends[isCut ? 'held' : bar.span.end]
  if (width < 8) {
    pen.fillRect(x, y, width, BAR)
    return
  }
  pen.beginPath()
  pen.roundRect(x, y, width, BAR, 4)
  pen.fill()
  if (width < 26) return
  pen.save()
  pen.clip()
  pen.fillStyle = colours.onBar
  pen.fillText(bar.label, Math.max(x, 0) + 6, y + BAR / 2)
  for (const tick of bar.ticks) {
    if (tick <= until) pen.fillRect(xOf(drawing, tick), y + BAR - 4, 1, 4)
  }
  pen.restore()
}

function drawTimes(pen: CanvasRenderingContext2D, drawing: Drawing, height: number): void {
  const {
    model: { scale },
    window: { perMs },
    colours,
  } = drawing
  for (const { from, to, at } of scale.gaps) {
    const x = xOf(drawing, at)
    pen.fillStyle = colours.gap
    pen.fillRect(x, 0, Math.max(4, (scale.place(to) - at) * perMs), height)
    pen.fillStyle = colours.text
    pen.fillText(drawing.formatGap(to - from), x + 6, HEAD / 2 + 8)
  }
  const step = stepFor(perMs)
  const last = scale.time(scale.length)
  let previous = -Infinity
  for (let time = Math.ceil(scale.start / step) * step; time <= last; time += step) {
    const x = xOf(drawing, scale.place(time))
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
  pen.lineWidth = 1.5
  for (const [before, after] of drawing.model.handovers) {
    if (after.from > (drawing.until ?? Infinity)) continue
    const [x1, x2] = [xOf(drawing, before.to), xOf(drawing, after.from)]
    if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > drawing.width) continue
    const y1 = HEAD + before.row * ROW + ROW / 2
    const y2 = HEAD + after.row * ROW + ROW / 2
    pen.strokeStyle = drawing.colours.ends[before.span.end]
    pen.beginPath()
    pen.moveTo(x1, y1)
    pen.bezierCurveTo(x1 + 20, y1, x2 - 20, y2, x2, y2)
    pen.moveTo(x2 - 5, y2 - 4)
    pen.lineTo(x2, y2)
    pen.lineTo(x2 - 5, y2 + 4)
    pen.stroke()
  }
}

function drawDots(pen: CanvasRenderingContext2D, drawing: Drawing): void {
  const { colours, width, until = Infinity } = drawing
  for (const { row, at, message } of drawing.model.dots) {
    const x = xOf(drawing, at)
    if (x < 0 || x > width || at > until) continue
    pen.fillStyle = message.severity === 'blocker' ? colours.alarm : colours.dot
    pen.beginPath()
    pen.arc(x, HEAD + row * ROW + 4, 2.5, 0, 2 * Math.PI)
    pen.fill()
  }
}

/** The bar at a point of the picture. */
export function spanAt(drawing: Drawing, x: number, y: number): Span | undefined {
  const row = Math.floor((y - HEAD) / ROW)
  const { bars } = drawing.model
  return bars.findLast(
    (bar) =>
      bar.row === row &&
      bar.from <= (drawing.until ?? Infinity) &&
      x >= xOf(drawing, bar.from) &&
      x <= Math.max(xOf(drawing, bar.from) + 3, xOf(drawing, bar.to)),
  )?.span
}
