import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type LaneBy, toLaneModel } from '../../draw/lane-model.ts'
import { type Drawing, drawLanes, HEAD, ROW, spanAt, type Window } from '../../draw/lanes.ts'
import { prepareCanvas } from '../../draw/prepare-canvas.ts'
import { squeeze } from '../../draw/squeeze.ts'
import { formatClock, formatDuration } from '../../parts/time.tsx'
import { useWidth } from '../../parts/use-width.ts'
import { go, route, setQuery, toAddress } from '../../shell/router.ts'
import { useKeys } from '../../shell/keys/use-keys.ts'
import { lanesWords } from '../../text/view/lanes.ts'
import { laneColours } from './lane-colours.ts'
import { LaneNames } from './lane-names.tsx'
import type { Spans } from './load-spans.ts'
import { MomentBoard } from './moment-board.tsx'
import { Replay } from './replay.tsx'

const ZOOM = 1.4
const MARGIN = 24
/** A shorter drag is a click. */
const DRAG_PX = 6

/** One lane for each agent, a bar for each lease, silence squeezed. */
export function Lanes(loaded: Spans) {
  const { spans, messages, activity } = loaded
  const by: LaneBy = route.value.query.get('by') === 'task' ? 'task' : 'agent'
  const scale = useMemo(() => squeeze(spans), [spans])
  const model = useMemo(() => toLaneModel(spans, messages, scale, by), [spans, messages, scale, by])
  const asked = Date.parse(route.value.query.get('at') ?? '')
  const [until, setUntil] = useState<number | undefined>(
    Number.isNaN(asked) ? undefined : scale.place(asked),
  )
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = useWidth(canvas)
  const [zoom, setZoom] = useState<Window | undefined>(undefined)
  const [drag, setDrag] = useState<{ from: number; to: number } | undefined>(undefined)
  const window = zoom ?? { perMs: (width - MARGIN) / scale.length, left: 0 }
  const colours = useMemo(
    () => laneColours(canvas.current),
    [canvas.current, matchMedia('(prefers-color-scheme: dark)').matches],
  )
  const drawing: Drawing = {
    model,
    window,
    width,
    until,
    colours,
    formatTime: formatClock,
    formatGap: (length) => formatDuration(length),
  }
  useEffect(() => {
    const pen = prepareCanvas(canvas.current, width, HEAD + model.rows * ROW)
    if (pen !== undefined) drawLanes(pen, drawing)
  })
  const zoomBy = (factor: number, at = width / 2): void => {
    const place = window.left + at / window.perMs
    const perMs = Math.max((width - MARGIN) / scale.length, window.perMs * factor)
    setZoom({ perMs, left: Math.max(0, place - at / perMs) })
  }
  const pan = (pixels: number): void =>
    setZoom({
      ...window,
      left: Math.max(0, Math.min(scale.length, window.left + pixels / window.perMs)),
    })
  const select = ({ from, to }: { from: number; to: number }): void => {
    const [low, high] = [Math.min(from, to), Math.max(from, to)]
    setZoom({
      perMs: ((width - MARGIN) * window.perMs) / (high - low),
      left: window.left + low / window.perMs,
    })
  }
  // The same elements while the picture moves, so that they are not compared in each frame.
  const names = useMemo(() => <LaneNames lanes={model.lanes} by={by} />, [model, by])
  const replay = useMemo(
    () => (
      <Replay
        scale={scale}
        activity={activity}
        place={until}
        onPlace={setUntil}
        onSave={() => void save(loaded)}
      />
    ),
    [scale, activity, until],
  )
  useKeys([
    { keys: '+', label: lanesWords.zoomIn, run: () => zoomBy(ZOOM) },
    { keys: '-', label: lanesWords.zoomOut, run: () => zoomBy(1 / ZOOM) },
    { keys: 's', label: lanesWords.save, run: () => void save(loaded) },
    { keys: 'f', label: lanesWords.fit, run: () => setZoom(undefined) },
    { keys: 'ArrowRight', label: lanesWords.panRight, run: () => pan(width / 4) },
    { keys: 'ArrowLeft', label: lanesWords.panLeft, run: () => pan(-width / 4) },
    {
      keys: 't',
      label: by === 'agent' ? lanesWords.byTask : lanesWords.byAgent,
      run: () => setQuery({ by: by === 'agent' ? 'task' : '' }),
    },
  ])
  return (
    <>
      {model.hidden > 0 && <p class="empty">{lanesWords.hidden(model.hidden)}</p>}
      <div class="lanes">
        {names}
        <div class="lanes-canvas">
          <canvas
            ref={canvas}
            role="img"
            aria-label={lanesWords.legend}
            onWheel={(event) => {
              const isZoom = event.ctrlKey || event.metaKey
              // Unless there is more to the sides, the wheel scrolls the page.
              if (!isZoom && zoom === undefined && event.deltaX === 0) return
              event.preventDefault()
              if (isZoom) zoomBy(event.deltaY < 0 ? ZOOM : 1 / ZOOM, event.offsetX)
              else pan(event.deltaX + event.deltaY)
            }}
            onPointerDown={({ offsetX, button, currentTarget, pointerId }) => {
              if (button !== 0) return
              currentTarget.setPointerCapture(pointerId)
              setDrag({ from: offsetX, to: offsetX })
            }}
            onPointerUp={({ offsetX, offsetY }) => {
              if (drag !== undefined && Math.abs(offsetX - drag.from) > DRAG_PX)
                select({ from: drag.from, to: offsetX })
              else {
                const span = spanAt(drawing, offsetX, offsetY)
                if (span !== undefined) go(toAddress('t', span.task))
              }
              setDrag(undefined)
            }}
            onPointerMove={({ offsetX, offsetY, currentTarget }) => {
              if (drag !== undefined) return setDrag({ ...drag, to: offsetX })
              const span = spanAt(drawing, offsetX, offsetY)
              currentTarget.title =
                span === undefined
                  ? ''
                  : `#${span.task} ${span.title} · ${span.agent}: ${formatDuration(span.to - span.from)}, ${lanesWords.ending(span)}`
            }}
          />
          {drag !== undefined && Math.abs(drag.to - drag.from) > DRAG_PX && (
            <i
              class="lanes-range"
              style={{
                left: `${Math.min(drag.from, drag.to)}px`,
                width: `${Math.abs(drag.to - drag.from)}px`,
              }}
            />
          )}
        </div>
      </div>
      {replay}
      {until !== undefined && <MomentBoard spans={spans} at={scale.time(until)} />}
    </>
  )
}

async function save(loaded: Spans): Promise<void> {
  const { saveReplay } = await import('../../export/replay/save-replay.ts')
  saveReplay(loaded)
}
