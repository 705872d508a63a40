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
  drawBars(pen, drawing)
  drawHandovers(pen, drawing)
  drawDots(pen, drawing)
  if (until === Infinity) return
  pen.fillStyle = colours.moment
  pen.fillRect(xOf(drawing, until), 0, 1.5, height)
}

function xOf({ window: { perMs, left } }: Drawing, place: number): number {
  return (place - left) * perMs
}

/** Narrower bars have neither rounded corners nor labels. */
const ROUND_FROM = 8
const LABEL_FROM = 26
/** Characters; fewer say nothing and are wider than the average. */
const SHORTEST_LABEL = 4
const TICK_ROOM = 12
/** Of more bars, arrows or dots at once, details are not seen, and drawing them is most of the cost of a frame. */
const DETAILED = 300

interface Place {
  readonly bar: Bar
  readonly end: End
  readonly x: number
  readonly width: number
}

/** Skips bars outside the viewport. */
function drawBars(pen: CanvasRenderingContext2D, drawing: Drawing): void {
  const places = visibleBars(drawing)
  const isDetailed = places.length <= DETAILED
  for (const { bar, end, x, width } of places.toSorted(byEnd)) {
    pen.fillStyle = drawing.colours.ends[end]
    if (!isDetailed || width < ROUND_FROM) pen.fillRect(x, topOf(bar), width, BAR)
    else {
      pen.beginPath()
      pen.roundRect(x, topOf(bar), width, BAR, 4)
      pen.fill()
    }
  }
  pen.fillStyle = drawing.colours.onBar
  for (const { bar, width } of places) if (width >= LABEL_FROM) drawLabel(pen, drawing, bar)
}

/** A change of colour costs more than a bar. */
function byEnd(one: Place, other: Place): number {
  return one.end === other.end ? 0 : one.end < other.end ? -1 : 1
}

function visibleBars(drawing: Drawing): readonly Place[] {
  const { model, until = Infinity } = drawing
  const places: Place[] = []
  for (const bars of model.barsByRow) {
    let covered = -Infinity
    for (let at = firstVisible(bars, drawing); at < bars.length; at += 1) {
      const bar = bars[at]
      if (bar === undefined || bar.from > until) break
      const x = xOf(drawing, bar.from)
      if (x > drawing.width) break
      const isCut = bar.to > until
      const width = Math.max(3, xOf(drawing, isCut ? until : bar.to) - x)
      // Of bars that would hide each other the first is drawn.
      if (x + width < covered + 1) continue
      covered = x + width
      places.push({ bar, end: isCut ? 'held' : bar.span.end, x, width })
    }
  }
  return places
}

function topOf({ row }: Bar): number {
  return HEAD + row * ROW + (ROW - BAR) / 2
}

/** The first bar of a row that ends behind the left edge. */
function firstVisible(bars: readonly Bar[], { window: { left } }: Drawing): number {
  let [low, high] = [0, bars.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((bars[middle]?.to ?? Infinity) < left) low = middle + 1
    else high = middle
  }
  return low
}

/** As many characters as have room: clipping each bar would cost more than all of the rest. */
function drawLabel(pen: CanvasRenderingContext2D, drawing: Drawing, bar: Bar): void {
  const until = drawing.until ?? Infinity
  const [from, to] = [xOf(drawing, bar.from), xOf(drawing, Math.min(bar.to, until))]
  const start = Math.max(from, 0) + 6
  const room = Math.min(to, drawing.width) - start - 4
  const y = topOf(bar)
  const count = Math.floor(room / widthPerCharacter(pen, bar))
  if (count >= SHORTEST_LABEL) {
    const text = count < bar.label.length ? `${bar.label.slice(0, count - 1)}…` : bar.label
    pen.fillText(text, start, y + BAR / 2)
  }
  // Closer ticks would be a line.
  if ((to - from) / (bar.ticks.length + 1) < TICK_ROOM) return
  for (const tick of bar.ticks) {
    const x = xOf(drawing, tick)
    if (tick <= until && x > from && x < to) pen.fillRect(x, y + BAR - 4, 1, 4)
  }
}

const widths = new WeakMap<Bar, number>()

function widthPerCharacter(pen: CanvasRenderingContext2D, bar: Bar): number {
  const known = widths.get(bar)
  if (known !== undefined) return known
  const width = pen.measureText(bar.label).width / Math.max(1, bar.label.length)
  widths.set(bar, width)
  return Math.max(1, width)
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
  const visible = drawing.model.handovers.flatMap(([before, after]): readonly Arrow[] => {
    if (after.from > (drawing.until ?? Infinity)) return []
    const [x1, x2] = [xOf(drawing, before.to), xOf(drawing, after.from)]
    if (Math.max(x1, x2) < 0 || Math.min(x1, x2) > drawing.width) return []
    return [{ x1, y1: middleOf(before), x2, y2: middleOf(after), end: before.span.end }]
  })
  pen.lineWidth = visible.length > DETAILED ? 0.5 : 1.5
  for (const { x1, y1, x2, y2, end } of visible) {
    pen.strokeStyle = drawing.colours.ends[end]
    pen.beginPath()
    pen.moveTo(x1, y1)
    if (visible.length > DETAILED) pen.lineTo(x2, y2)
    else {
      pen.bezierCurveTo(x1 + 20, y1, x2 - 20, y2, x2, y2)
      pen.moveTo(x2 - 5, y2 - 4)
      pen.lineTo(x2, y2)
      pen.lineTo(x2 - 5, y2 + 4)
    }
    pen.stroke()
  }
}

interface Arrow {
  readonly x1: number
  readonly y1: number
  readonly x2: number
  readonly y2: number
  readonly end: End
}

function middleOf({ row }: Bar): number {
  return HEAD + row * ROW + ROW / 2
}

function drawDots(pen: CanvasRenderingContext2D, drawing: Drawing): void {
  const { colours, width, until = Infinity } = drawing
  for (const { row, at, message } of drawing.model.dots) {
    const x = xOf(drawing, at)
    if (x < 0 || x > width || at > until) continue
    pen.fillStyle = message.severity === 'blocker' ? colours.alarm : colours.dot
    pen.fillRect(x - 2, HEAD + row * ROW + 2, 4, 4)
  }
}

/** The bar at a point of the picture. */
export function spanAt(drawing: Drawing, x: number, y: number): Span | undefined {
  const row = Math.floor((y - HEAD) / ROW)
  return drawing.model.barsByRow[row]?.findLast(
    (bar) =>
      bar.from <= (drawing.until ?? Infinity) &&
      x >= xOf(drawing, bar.from) &&
      x <= Math.max(xOf(drawing, bar.from) + 3, xOf(drawing, bar.to)),
  )?.span
}
