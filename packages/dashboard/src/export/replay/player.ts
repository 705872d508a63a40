// The script of a saved replay: one file that needs neither Waymark nor a network.
import { boardAt } from '../../draw/board-at.ts'
import { type LaneModel, toLaneModel } from '../../draw/lane-model.ts'
import { drawLanes, HEAD, ROW } from '../../draw/lanes.ts'
import { prepareCanvas } from '../../draw/prepare-canvas.ts'
import type { Span } from '../../draw/span.ts'
import { squeeze } from '../../draw/squeeze.ts'
import { formatDuration, formatExact } from '../../parts/time.tsx'
import { lanesWords } from '../../text/view/lanes.ts'
import { laneColours } from '../../views/agents/lane-colours.ts'
import { DATA_ID, type ReplayData } from './replay-data.ts'
import '../../styles/tokens.css'
import './player.css'

const SPEEDS = [1, 10, 60, 300, 600, 3600] as const
const FIRST_SPEED = 600
const MARGIN = 24

const text = document.querySelector(`#${DATA_ID}`)?.textContent ?? ''
play(JSON.parse(text) as ReplayData)

function play({ project, spans, messages }: ReplayData): void {
  const scale = squeeze(spans)
  const model = toLaneModel(spans, messages, scale, 'agent')
  const canvas = create('canvas', { role: 'img', 'aria-label': lanesWords.legend })
  const button = create('button', { type: 'button' })
  const speed = create('select', { 'aria-label': lanesWords.speedLabel })
  for (const factor of SPEEDS)
    speed.append(create('option', { value: String(factor) }, lanesWords.speed(factor)))
  speed.value = String(FIRST_SPEED)
  const max = String(scale.length)
  const step = String(Math.max(1, Math.round(scale.length / 1000)))
  const slider = create('input', { type: 'range', min: '0', max, step, value: max })
  slider.setAttribute('aria-label', lanesWords.moment)
  const moment = create('output', {})
  const board = create('section', { class: 'columns' })
  const controls = create('p', { class: 'controls' })
  controls.append(button, speed, slider, moment)
  const lanes = create('div', { class: 'lanes' })
  lanes.append(toNames(model), canvas)
  const [first, last] = [scale.start, scale.time(scale.length)].map(formatExact)
  const heading = `${project} · ${lanesWords.replay} · ${first} – ${last}`
  document.body.append(create('h1', {}, heading), controls, lanes, board, toTable(spans))

  let place = scale.length
  let isPlaying = false
  const colours = laneColours(canvas)
  const show = (next: number): void => {
    place = Math.min(scale.length, Math.max(0, next))
    const at = scale.time(place)
    const width = Math.max(1, lanes.clientWidth - (canvas.offsetLeft - lanes.offsetLeft))
    const pen = prepareCanvas(canvas, width, HEAD + model.rows * ROW)
    const window = { perMs: (width - MARGIN) / scale.length, left: 0 }
    const until = place >= scale.length ? undefined : place
    const formats = { formatTime: formatClock, formatGap: formatDuration }
    if (pen !== undefined) drawLanes(pen, { model, window, width, until, colours, ...formats })
    slider.value = String(place)
    slider.setAttribute('aria-valuetext', formatExact(at))
    moment.textContent = formatExact(at)
    board.replaceChildren(...toColumns(spans, at))
  }
  const set = (playing: boolean): void => {
    isPlaying = playing
    button.textContent = playing ? `❚❚ ${lanesWords.pause}` : `▶ ${lanesWords.replay}`
  }
  const toggle = (): void => {
    if (isPlaying) return set(false)
    if (place >= scale.length) show(0)
    set(true)
    let before = performance.now()
    requestAnimationFrame(function frame(time) {
      if (!isPlaying) return
      show(place + Number(speed.value) * Math.max(0, time - before))
      before = time
      if (place >= scale.length) set(false)
      else requestAnimationFrame(frame)
    })
  }
  button.addEventListener('click', toggle)
  slider.addEventListener('input', () => {
    set(false)
    show(Number(slider.value))
  })
  addEventListener('keydown', (event) => {
    if (event.key !== ' ' || event.target !== document.body) return
    event.preventDefault()
    toggle()
  })
  addEventListener('resize', () => show(place))
  set(false)
  show(place)
}

function toNames({ lanes }: LaneModel): HTMLElement {
  const list = create('ul', { class: 'names' })
  for (const { name, rows, spans } of lanes) {
    const done = spans.filter(({ end }) => end === 'done').length
    const item = create('li', {}, `${name} · ${lanesWords.doneCount(done)}`)
    item.style.height = `${rows * ROW}px`
    list.append(item)
  }
  return list
}

function toColumns(spans: readonly Span[], at: number): readonly HTMLElement[] {
  const { held, back, done } = boardAt(spans, at)
  const columns = [
    [lanesWords.boardBack, back],
    [lanesWords.boardHeld, held],
    [lanesWords.boardDone, done],
  ] as const
  return columns.map(([heading, tasks]) => {
    const column = create('section', {})
    const list = create('ul', {})
    for (const { task, title, agent } of tasks)
      list.append(create('li', {}, `#${task} ${title} · ${agent}`))
    if (tasks.length === 0) list.append(create('li', { class: 'muted' }, lanesWords.boardNone))
    column.append(create('h2', {}, `${heading} ${tasks.length}`), list)
    return column
  })
}

/** The same for those who cannot see the picture. */
function toTable(spans: readonly Span[]): HTMLElement {
  const details = create('details', {})
  const table = create('table', {})
  const add = (cell: 'td' | 'th', values: readonly string[]): void => {
    const row = create('tr', {})
    row.append(...values.map((value) => create(cell, {}, value)))
    table.append(row)
  }
  const { agent, task, from, lasted, ended } = lanesWords
  add('th', [agent, task, from, lasted, ended])
  for (const span of spans)
    add('td', [
      span.agent,
      `#${span.task} ${span.title}`,
      formatExact(span.from),
      formatDuration(span.to - span.from),
      lanesWords.ending(span),
    ])
  details.append(create('summary', {}, lanesWords.table), table)
  return details
}

function formatClock(at: number): string {
  return new Date(at).toTimeString().slice(0, 5)
}

function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  content = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.textContent = content
  return element
}
