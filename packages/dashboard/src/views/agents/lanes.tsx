import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import {
  type Drawing,
  drawLanes,
  HEAD,
  type Lane,
  ROW,
  spanAt,
  type Window,
} from '../../draw/lanes.ts'
import type { Span } from '../../draw/span.ts'
import { squeeze } from '../../draw/squeeze.ts'
import { formatClock, formatDuration } from '../../parts/time.tsx'
import { Who } from '../../parts/agent/who.tsx'
import { go, toAddress } from '../../shell/router.ts'
import { useKeys } from '../../shell/keys/use-keys.ts'
import { en } from '../../text/en.ts'
import { laneColours } from './lane-colours.ts'
import { Replay } from './replay.tsx'

const ZOOM = 1.4

/** One lane for each agent, a bar for each lease, silence squeezed. Wheel pans, with Ctrl it zooms. */
export function Lanes({ spans }: { readonly spans: readonly Span[] }) {
  const [until, setUntil] = useState<number | undefined>(undefined)
  const shown = until === undefined ? spans : cutAt(spans, until)
  const lanes = useMemo(() => toLanes(spans, shown), [spans, until])
  const scale = useMemo(() => squeeze(spans), [spans])
  const canvas = useRef<HTMLCanvasElement>(null)
  const [width, setWidth] = useState(800)
  const [zoom, setZoom] = useState<Window | undefined>(undefined)
  const window = zoom ?? { perMs: (width - 24) / scale.length, left: 0 }
  const drawing = (): Drawing => ({
    lanes,
    scale,
    window,
    width,
    colours: laneColours(canvas.current),
    formatTime: formatClock,
    formatGap: (length) => formatDuration(length),
  })
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.max(200, entry?.contentRect.width ?? 800)),
    )
    if (canvas.current?.parentElement) observer.observe(canvas.current.parentElement)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    const pen = prepare(canvas.current, width, HEAD + lanes.length * ROW)
    if (pen !== undefined) drawLanes(pen, drawing())
  })
  const zoomBy = (factor: number, at = width / 2): void => {
    const place = window.left + at / window.perMs
    const perMs = Math.max((width - 24) / scale.length, window.perMs * factor)
    setZoom({ perMs, left: Math.max(0, place - at / perMs) })
  }
  const pan = (pixels: number): void =>
    setZoom({
      ...window,
      left: Math.max(0, Math.min(scale.length, window.left + pixels / window.perMs)),
    })
  useKeys([
    { keys: '+', label: en.lanes.zoomIn, run: () => zoomBy(ZOOM) },
    { keys: '-', label: en.lanes.zoomOut, run: () => zoomBy(1 / ZOOM) },
    { keys: 'f', label: en.lanes.fit, run: () => setZoom(undefined) },
    { keys: 'ArrowRight', label: en.lanes.panRight, run: () => pan(width / 4) },
    { keys: 'ArrowLeft', label: en.lanes.panLeft, run: () => pan(-width / 4) },
  ])
  return (
    <>
      <div class="lanes">
        <ul class="lane-names" aria-hidden="true">
          {lanes.map(({ agentId, name }) => (
            <li key={agentId}>
              <Who name={name} />
              <span class="muted">{en.lanes.doneCount(countDone(spans, agentId))}</span>
            </li>
          ))}
        </ul>
        <div class="lanes-canvas">
          <canvas
            ref={canvas}
            role="img"
            aria-label={en.lanes.legend}
            onWheel={(event) => {
              event.preventDefault()
              if (event.ctrlKey || event.metaKey)
                zoomBy(event.deltaY < 0 ? ZOOM : 1 / ZOOM, event.offsetX)
              else pan(event.deltaX + event.deltaY)
            }}
            onClick={({ offsetX, offsetY }) => {
              const span = spanAt(drawing(), offsetX, offsetY)
              if (span !== undefined) go(toAddress('t', span.task))
            }}
            onPointerMove={({ offsetX, offsetY, currentTarget }) => {
              const span = spanAt(drawing(), offsetX, offsetY)
              currentTarget.title =
                span === undefined
                  ? ''
                  : `#${span.task} ${span.title}: ${formatDuration(span.to - span.from)}, ${en.lanes.ending(span)}`
            }}
          />
        </div>
      </div>
      <Replay scale={scale} onMoment={setUntil} />
    </>
  )
}

/** Lanes of all agents, also of those that are not at work yet at the replayed moment. */
function toLanes(all: readonly Span[], shown: readonly Span[]): readonly Lane[] {
  const names = new Map(all.map(({ agentId, agent }) => [agentId, agent]))
  return [...names].map(([agentId, name]) => ({
    agentId,
    name,
    spans: shown.filter((span) => span.agentId === agentId),
  }))
}

/** Leases as they were at a moment: later ones are absent, running ones end there. */
function cutAt(spans: readonly Span[], moment: number): readonly Span[] {
  return spans.flatMap((span): readonly Span[] => {
    if (span.from > moment) return []
    return span.to > moment ? [{ ...span, to: moment, end: 'held' }] : [span]
  })
}

function countDone(spans: readonly Span[], agentId: string): number {
  return spans.filter((span) => span.agentId === agentId && span.end === 'done').length
}

/** Sharp on every screen. */
function prepare(
  canvas: HTMLCanvasElement | null,
  width: number,
  height: number,
): CanvasRenderingContext2D | undefined {
  const pen = canvas?.getContext('2d')
  if (canvas === null || pen === null || pen === undefined) return undefined
  const ratio = devicePixelRatio
  canvas.width = width * ratio
  canvas.height = height * ratio
  canvas.style.width = `${width}px`
  canvas.style.height = `${height}px`
  pen.setTransform(ratio, 0, 0, ratio, 0, 0)
  return pen
}
