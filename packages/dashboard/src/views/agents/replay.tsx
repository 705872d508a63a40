import { useEffect, useRef, useState } from 'preact/hooks'
import { prepareCanvas } from '../../draw/prepare-canvas.ts'
import type { Scale } from '../../draw/squeeze.ts'
import { formatExact } from '../../parts/time.tsx'
import { useWidth } from '../../parts/use-width.ts'
import { useKeys } from '../../shell/keys/use-keys.ts'
import { setQuery } from '../../shell/router.ts'
import { lanesWords } from '../../text/view/lanes.ts'
import { laneColours } from './lane-colours.ts'

const SPEEDS = [1, 10, 60, 300, 600, 3600] as const
const STRIP = 30

interface Props {
  readonly scale: Scale
  readonly activity: readonly (readonly [number, number])[]
  /** The moment that is shown, on the squeezed scale; undefined for now. */
  readonly place: number | undefined
  readonly onPlace: (place: number | undefined) => void
  readonly onSave: () => void
}

/** How much happened when, and a way to any moment of it. Plays from there without the silence. */
export function Replay({ scale, activity, place, onPlace, onSave }: Props) {
  const [isPlaying, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<number>(600)
  const current = place ?? scale.length
  const latest = useRef(current)
  latest.current = current
  const show = (next: number): void => onPlace(next >= scale.length ? undefined : next)
  const settle = (): void => {
    const isNow = latest.current >= scale.length
    setQuery({ at: isNow ? '' : new Date(scale.time(latest.current)).toISOString() })
  }
  useEffect(() => {
    if (!isPlaying) return
    let before = performance.now()
    let frame = requestAnimationFrame(function step(time) {
      const next = Math.min(scale.length, latest.current + speed * Math.max(0, time - before))
      before = time
      show(next)
      if (next < scale.length) frame = requestAnimationFrame(step)
      else setPlaying(false)
    })
    return () => cancelAnimationFrame(frame)
  }, [isPlaying, speed, scale])
  const toggle = (): void => {
    if (!isPlaying && current >= scale.length) show(0)
    if (isPlaying) settle()
    setPlaying(!isPlaying)
  }
  useKeys([
    { keys: 'Shift+r', label: lanesWords.replay, run: toggle },
    ...(place === undefined ? [] : [{ keys: 'Space', label: lanesWords.pause, run: toggle }]),
  ])
  return (
    <div class="replay">
      <span class="replay-buttons">
        <button type="button" onClick={toggle}>
          {isPlaying ? `❚❚ ${lanesWords.pause}` : `▶ ${lanesWords.replay}`}
        </button>
        <select
          aria-label={lanesWords.speedLabel}
          value={String(speed)}
          onChange={({ currentTarget }) => setSpeed(Number(currentTarget.value))}
        >
          {SPEEDS.map((factor) => (
            <option key={factor} value={String(factor)}>
              {lanesWords.speed(factor)}
            </option>
          ))}
        </select>
        <button type="button" aria-label={lanesWords.save} title={lanesWords.save} onClick={onSave}>
          {lanesWords.saveShort}
        </button>
      </span>
      <div class="scrub">
        <Strip scale={scale} activity={activity} until={current} />
        <input
          type="range"
          min="0"
          max={String(scale.length)}
          step={String(Math.max(1, Math.round(scale.length / 1000)))}
          value={String(current)}
          aria-label={lanesWords.moment}
          aria-valuetext={formatExact(scale.time(current))}
          onInput={({ currentTarget }) => show(Number(currentTarget.value))}
          onChange={settle}
        />
      </div>
      <span class="replay-now muted">
        {formatExact(scale.time(current))}
        {place !== undefined && (
          <button
            type="button"
            onClick={() => {
              setPlaying(false)
              onPlace(undefined)
              setQuery({ at: '' })
            }}
          >
            {lanesWords.toNow}
          </button>
        )}
      </span>
    </div>
  )
}

interface StripProps extends Pick<Props, 'scale' | 'activity'> {
  readonly until: number
}

/** Events per bucket of time as columns. */
function Strip({ scale, activity, until }: StripProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = useWidth(canvas)
  useEffect(() => {
    const pen = prepareCanvas(canvas.current, width, STRIP)
    if (pen === undefined) return
    const { text, dot } = laneColours(canvas.current)
    const most = Math.max(1, ...activity.map(([, count]) => count))
    const perMs = width / scale.length
    const column = Math.max(1.5, width / 240 - 1)
    pen.clearRect(0, 0, width, STRIP)
    for (const [at, count] of activity) {
      const place = scale.place(at)
      const height = Math.max(1, Math.sqrt(count / most) * STRIP)
      pen.fillStyle = place <= until ? dot : text
      pen.globalAlpha = place <= until ? 0.75 : 0.35
      pen.fillRect(place * perMs, STRIP - height, column, height)
    }
    pen.globalAlpha = 1
  }, [scale, activity, until, width])
  return <canvas ref={canvas} aria-hidden="true" />
}
